// Command gen writes the assembly of package vmath.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
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
	}
	for i := range reductions {
		reductions[i].generate()
	}
	affine()
	wide()
	Generate()
}

const (
	lanes  = 8 // of a YMM register
	unroll = 4
)

// either returns the packed or the scalar form of an instruction, with the operands
// in the order of the formula.
func either(packed, scalar func(...Op)) func(bool, VecVirtual, VecVirtual, VecVirtual) {
	return func(isPacked bool, x, y, z VecVirtual) {
		if isPacked {
			packed(y, x, z)
		} else {
			scalar(y.AsX(), x.AsX(), z.AsX())
		}
	}
}

// loops walks n elements, and returns.
func loops(n Register, step func(packed bool, disp int), advance func(count int)) {
	walk(n, step, advance)
	VZEROUPPER()
	RET()
}

// walk runs step over n elements: several vectors at a time, then one, then
// element by element.
func walk(n Register, step func(packed bool, disp int), advance func(count int)) {
	for _, loop := range []struct {
		label  string
		count  int
		packed bool
	}{{"many", unroll * lanes, true}, {"vector", lanes, true}, {"single", 1, false}} {
		Label(loop.label)
		CMPQ(n, U32(loop.count))
		JL(LabelRef("after_" + loop.label))
		for i := 0; i < loop.count; i += lanes {
			step(loop.packed, 4*i)
		}
		advance(loop.count)
		SUBQ(U32(loop.count), n)
		JMP(LabelRef(loop.label))
		Label("after_" + loop.label)
	}
}
