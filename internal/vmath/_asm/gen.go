// Command gen writes the assembly of package vmath.
package main

import (
	. "github.com/mmcloughlin/avo/build"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	for _, wide := range []bool{false, true} {
		for i := range binary {
			for _, mode := range modes {
				binary[i].generate(wide, mode)
			}
		}
		for i := range unary {
			unary[i].generate(wide)
		}
		for i := range reductions {
			reductions[i].generate(wide)
		}
		affine(wide)
		for i := range checked {
			checked[i].generate(wide)
		}
	}
	softmaxRows()
	for _, t := range []*table{vectors8, longs, masks} {
		t.write()
	}
	Generate()
}

// suffix returns the end of the names of functions for AVX-512 or AVX2.
func suffix(wide bool) string {
	if wide {
		return "512"
	}
	return ""
}
