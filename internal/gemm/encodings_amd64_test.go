//go:build !noasm

package gemm

import (
	"bytes"
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

// TestEncodings_amd64 compares the instructions that the generator writes as bytes, since Go's
// assembler does not know them, with what a disassembler says they are.
func TestEncodings_amd64(t *testing.T) {
	if _, err := exec.LookPath("objdump"); err != nil {
		t.Skip("SKIPPED: no objdump")
	}
	var text []byte
	for _, name := range []string{"direct_amd64.s", "pack/pack_amd64.s", "tile/tile_amd64.s"} {
		part, err := os.ReadFile(name)
		require.NoError(t, err)
		text = append(text, part...)
	}
	var want []string
	var code []byte
	comment := ""
	for line := range strings.Lines(string(text)) {
		instruction, name, _ := strings.Cut(strings.TrimSpace(line), "//")
		if !strings.HasPrefix(instruction, "BYTE") {
			comment = name
			continue
		}
		if name == "" {
			name = comment
		}
		want = append(want, attSyntax(name))
		for _, digits := range regexp.MustCompile(`\$0x([0-9a-f]{2})`).FindAllStringSubmatch(instruction, -1) {
			b, err := strconv.ParseUint(digits[1], 16, 8)
			require.NoError(t, err)
			code = append(code, byte(b))
		}
	}
	file := filepath.Join(t.TempDir(), "code")
	require.NoError(t, os.WriteFile(file, code, 0o600))
	out, err := exec.Command("objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "--no-show-raw-insn", file).Output()
	require.NoError(t, err)
	var got []string
	for line := range bytes.Lines(out) {
		if _, instruction, ok := strings.Cut(strings.TrimSpace(string(line)), ":\t"); ok {
			got = append(got, strings.Join(strings.Fields(instruction), " "))
		}
	}
	for _, name := range []string{"ldtilecfg", "tilerelease", "tilezero", "tileloadd", "tilestored", "tdpbsud", "tdpbusd", "tdpbf16ps", "tdpfp16ps", "vdpbf16ps", "{vex} vpdpbusd", "vcvtne2ps2bf16"} {
		assert.Contains(t, strings.Join(want, "\n"), name)
	}
	assert.Equal(t, want, got)
}

// attSyntax translates an instruction in Go's syntax, such as TILELOADD 0x40(DI)(CX*1), T1.
func attSyntax(name string) string {
	name = regexp.MustCompile(`\((\w+)\)\((\w+)\*(\d)\)`).ReplaceAllString(name, "(%r$1,%r$2,$3)")
	name = regexp.MustCompile(`\b([TYZ])(\d+)`).ReplaceAllString(name, "%${1}mm$2")
	name = regexp.MustCompile(`\((\w+)\)`).ReplaceAllString(name, "(%r$1)")
	return strings.TrimSpace(strings.ToLower(strings.ReplaceAll(name, ", ", ",")))
}
