// Command vex replaces VPDPBUSD of 256 bits in a file of assembly by the bytes of the instruction
// of AVX-VNNI: Go's assembler knows it with the prefix of AVX-512 only. It also writes the
// instructions of AVX-512 BF16, which others stand for. Generators run it on what avo has written,
// as avo allocates the registers.
package main

import (
	"fmt"
	"log"
	"os"
	"regexp"
	"strconv"
)

// dot matches the instruction. Its operands are those of the fields r/m, vvvv and reg.
var dot = regexp.MustCompile(`VPDPBUSD +Y(\d+), Y(\d+), Y(\d+)`)

func main() {
	if err := run(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

// run replaces the instruction in the file that is the only argument.
func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("%d arguments, usage: vex FILE", len(args))
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	return os.WriteFile(args[0], encodeBF16(encode(text)), 0o644)
}

// encode returns text with the bytes of VEX.256.66.0F38.W0 50. Registers above Y15 stay as they
// are.
func encode(text []byte) []byte {
	return dot.ReplaceAllFunc(text, func(line []byte) []byte {
		var n [3]byte
		for i, digits := range dot.FindSubmatch(line)[1:] {
			v, err := strconv.ParseUint(string(digits), 10, 4)
			if err != nil {
				return line
			}
			n[i] = byte(v)
		}
		rm, vvvv, reg := n[0], n[1], n[2]
		// The upper bits of the numbers are inverted.
		return fmt.Appendf(nil, "BYTE $0xc4; BYTE $0x%02x; BYTE $0x%02x; BYTE $0x50; BYTE $0x%02x // {vex} VPDPBUSD Y%d, Y%d, Y%d",
			^reg>>3&1<<7|0x40|^rm>>3&1<<5|0x02, ^vvvv&15<<3|0x05, 0xc0|reg&7<<3|rm&7, rm, vvvv, reg)
	})
}
