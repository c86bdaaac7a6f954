package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEncode compares the instruction with all registers with what a disassembler says it is.
func TestEncode(t *testing.T) {
	var want, lines []string
	for i := range 16 * 16 * 16 {
		a, b, c := i/256, i/16%16, i%16
		lines = append(lines, string(encode(fmt.Appendf(nil, "\tVPDPBUSD Y%d, Y%d, Y%d\n", a, b, c))))
		want = append(want, fmt.Sprintf("{vex} vpdpbusd %%ymm%d,%%ymm%d,%%ymm%d", a, b, c))
	}
	assert.Equal(t, want, disassembled(t, lines))
}

// TestEncodeBF16 is TestEncode for the instructions of AVX-512 BF16, with registers that differ in
// each bit of their numbers.
func TestEncodeBF16(t *testing.T) {
	registers := []int{0, 1, 2, 4, 7, 8, 15, 16, 24, 31}
	var want, lines []string
	for _, substitute := range []string{"VPDPWSSD", "VPDPWSSDS"} {
		for _, width := range []string{"Y", "Z"} {
			for _, a := range registers {
				for _, b := range registers {
					for _, c := range registers {
						lines = append(lines, string(encodeBF16(fmt.Appendf(nil, "\t%s %s%d, %[2]s%[4]d, %[2]s%[5]d\n", substitute, width, a, b, c))))
						register := strings.ToLower(width) + "mm"
						want = append(want, fmt.Sprintf("%s %%%s%d,%%%[2]s%[4]d,%%%[2]s%[5]d", strings.ToLower(substitutes[substitute].name), register, a, b, c))
					}
				}
			}
		}
	}
	assert.Equal(t, want, disassembled(t, lines))
}

// disassembled returns what a disassembler says of the bytes that lines of assembly have.
func disassembled(t *testing.T, lines []string) (instructions []string) {
	t.Helper()
	if _, err := exec.LookPath("objdump"); err != nil {
		t.Skip("SKIPPED: no objdump")
	}
	var code []byte
	for _, line := range lines {
		for _, digits := range regexp.MustCompile(`\$0x([0-9a-f]{2})`).FindAllStringSubmatch(line, -1) {
			v, err := strconv.ParseUint(digits[1], 16, 8)
			require.NoError(t, err)
			code = append(code, byte(v))
		}
	}
	file := filepath.Join(t.TempDir(), "code")
	require.NoError(t, os.WriteFile(file, code, 0o600))
	out, err := exec.Command("objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "--no-show-raw-insn", file).Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		if _, instruction, ok := strings.Cut(strings.TrimSpace(line), ":\t"); ok {
			instructions = append(instructions, instruction)
		}
	}
	return instructions
}

// TestEncode_others has instructions that must stay: of 512 bits, and with registers that VEX does
// not have.
func TestEncode_others(t *testing.T) {
	for _, line := range []string{"VPDPBUSD Z1, Z2, Z3", "VPDPBUSD Y1, Y2, Y16", "VPADDD Y1, Y2, Y3"} {
		assert.Equal(t, line, string(encode([]byte(line))))
	}
}

func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "code.s")
	require.NoError(t, os.WriteFile(file, []byte("\tVPDPBUSD Y1, Y2, Y3\n\tBYTE $0x0f\n\tBYTE $0x0b\n\tRET\n"), 0o600))
	require.NoError(t, run([]string{file}))
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "\tBYTE $0xc4; BYTE $0xe2; BYTE $0x6d; BYTE $0x50; BYTE $0xd9 // {vex} VPDPBUSD Y1, Y2, Y3\n\tBYTE $0x0f; BYTE $0x0b\n\tRET\n", string(got))
	assert.EqualError(t, run(nil), "0 arguments, usage: vex FILE")
	assert.ErrorIs(t, run([]string{file + ".none"}), os.ErrNotExist)
}
