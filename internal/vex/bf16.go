package main

import (
	"bytes"
	"fmt"
	"log"
	"regexp"
	"strconv"
)

// substitutes are instructions that stand for others in what avo writes: Go's assembler does not
// know these, and avo allocates registers only while it writes. Nothing else uses them. They differ
// in the prefix and the opcode only: all are EVEX.0F38.W0 of Intel's manual with three registers.
var substitutes = map[string]struct {
	name           string
	prefix, opcode byte // prefix is 2 for F3, 3 for F2
}{
	"VPDPWSSD":  {"VDPBF16PS", 2, 0x52},
	"VPDPWSSDS": {"VCVTNE2PS2BF16", 3, 0x72},
}

// threeRegisters matches one of them.
var threeRegisters = regexp.MustCompile(`(VPDPWSSDS?) +([YZ])(\d+), [YZ](\d+), [YZ](\d+)`)

// manyBytes matches the bytes of one instruction, as generators emit them.
var manyBytes = regexp.MustCompile(`BYTE +\$0x[0-9a-f]+(\n\tBYTE +\$0x[0-9a-f]+)+`)

// encodeBF16 replaces the substitutes by the bytes of the instructions that they stand for, and
// writes the bytes of an instruction in one line. In the order of Go's assembler, the operands are
// those of the fields r/m, vvvv and reg.
func encodeBF16(text []byte) []byte {
	text = manyBytes.ReplaceAllFunc(text, func(lines []byte) []byte {
		return bytes.ReplaceAll(lines, []byte("\n\t"), []byte("; "))
	})
	return threeRegisters.ReplaceAllFunc(text, func(line []byte) []byte {
		m := threeRegisters.FindSubmatch(line)
		is := substitutes[string(m[1])]
		var n [3]byte
		for i := range n {
			v, err := strconv.ParseUint(string(m[i+3]), 10, 5)
			if err != nil {
				log.Fatal(err)
			}
			n[i] = byte(v)
		}
		rm, vvvv, reg := n[0], n[1], n[2]
		length := byte(0x20) // 256 bits
		if m[2][0] == 'Z' {
			length = 0x40
		}
		// The prefix holds the upper bits of the registers' numbers inverted.
		not := func(number, bit, at byte) byte { return (^number >> bit & 1) << at }
		p0 := not(reg, 3, 7) | not(rm, 4, 6) | not(rm, 3, 5) | not(reg, 4, 4) | 0x02
		p1 := (^vvvv&15)<<3 | 0x04 | is.prefix
		p2 := length | not(vvvv, 4, 3)
		out := "BYTE $0x62"
		for _, b := range [...]byte{p0, p1, p2, is.opcode, 0xc0 | reg&7<<3 | rm&7} {
			out += fmt.Sprintf("; BYTE $0x%02x", b)
		}
		return fmt.Appendf(nil, "%s // %s %c%d, %c%d, %c%d", out, is.name, m[2][0], rm, m[2][0], vvvv, m[2][0], reg)
	})
}
