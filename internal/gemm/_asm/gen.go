// Command gen writes the assembly of package gemm.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	tiles(&isa{name: "AVX2", rows: 6, lanes: 8, vector: YMM})
	tiles(&isa{name: "AVX512", rows: 12, lanes: 16, vector: ZMM})
	addRows(4)
	addRows(1)
	dot()
	for _, width := range []int{6, 12, 16, 32} {
		copyRows(width)
	}
	transpose(4)
	transpose(2)
	Generate()
}

// isa is an instruction set: what its vectors hold and the rows of its tiles.
type isa struct {
	name        string
	rows, lanes int
	vector      func() VecVirtual
}
