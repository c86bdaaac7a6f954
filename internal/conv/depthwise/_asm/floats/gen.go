// Command floats generates the assembly of package depthwise.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	for _, k := range []int{3, 5, 7} {
		(&direct{kernel: k, stride: 1}).generate()
	}
	lanes := GLOBL("evenLanes", RODATA|NOPTR)
	for i := range 16 {
		DATA(4*i, U32(2*i))
	}
	for _, k := range []int{3, 5} {
		(&direct{kernel: k, stride: 2, even: lanes}).generate()
	}
	// The number of rows is limited by the 16 registers for columns of the filter, sums, masks and
	// elements.
	for _, d := range []directAVX2{{kernel: 3, stride: 1, rows: 7}, {kernel: 5, stride: 1, rows: 7}, {kernel: 7, stride: 1, rows: 6},
		{kernel: 3, stride: 2, rows: 7}, {kernel: 5, stride: 2, rows: 7}} {
		d.generate()
	}
	(&taps{name: "AVX2", lanes: 8, vector: YMM}).generate()
	(&taps{name: "AVX512", lanes: 16, vector: ZMM}).generate()
	evens()
	Generate()
}
