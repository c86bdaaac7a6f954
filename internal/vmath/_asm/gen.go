// Command gen writes the assembly of package vmath.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	for _, f := range binary {
		for _, mode := range []string{"Rows", "ScalarA", "ScalarB"} {
			f.generate(mode)
		}
	}
	for _, f := range unary {
		f.generate()
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

// function2 is a function of two numbers; apply computes it for vectors, packed,
// or for their lowest lane, from operands x and y into z.
type function2 struct {
	name, formula string
	apply         func(packed bool, x, y, z VecVirtual)
}

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

var binary = []function2{
	{"add", "a[i] + b[i]", either(VADDPS, VADDSS)},
	{"subtract", "a[i] - b[i]", either(VSUBPS, VSUBSS)},
	{"multiply", "a[i] * b[i]", either(VMULPS, VMULSS)},
	{"divide", "a[i] / b[i]", either(VDIVPS, VDIVSS)},
	{"maximum", "a[i] > b[i] ? a[i] : b[i]", either(VMAXPS, VMAXSS)},
	{"minimum", "a[i] < b[i] ? a[i] : b[i]", either(VMINPS, VMINSS)},
	{"squaredDifference", "(a[i] - b[i]) * (a[i] - b[i])", func(packed bool, x, y, z VecVirtual) {
		either(VSUBPS, VSUBSS)(packed, x, y, z)
		either(VMULPS, VMULSS)(packed, z, z, z)
	}},
}

func (f *function2) generate(mode string) {
	name := f.name + mode
	TEXT(name, NOSPLIT, "func(out, a, b *float32, n int)")
	Pragma("noescape")
	docs := []string{fmt.Sprintf("%s sets, for i below n,", name), "", "\tout[i] = " + f.formula}
	switch mode {
	case "ScalarA":
		docs = append(docs, "", "with a[0] for every a[i].")
	case "ScalarB":
		docs = append(docs, "", "with b[0] for every b[i].")
	}
	Doc(docs...)
	out := Load(Param("out"), GP64())
	a := Load(Param("a"), GP64())
	b := Load(Param("b"), GP64())
	n := Load(Param("n"), GP64())
	var scalar VecVirtual
	if mode != "Rows" {
		scalar = YMM()
		from := a
		if mode == "ScalarB" {
			from = b
		}
		VBROADCASTSS(Mem{Base: from}, scalar)
	}
	load := func(packed bool, base Register, disp int) VecVirtual {
		v := YMM()
		if packed {
			VMOVUPS(Mem{Base: base, Disp: disp}, v)
		} else {
			VMOVSS(Mem{Base: base, Disp: disp}, v.AsX())
		}
		return v
	}
	step := func(packed bool, disp int) {
		x, y := scalar, scalar
		if mode != "ScalarA" {
			x = load(packed, a, disp)
		}
		if mode != "ScalarB" {
			y = load(packed, b, disp)
		}
		z := YMM()
		f.apply(packed, x, y, z)
		if packed {
			VMOVUPS(z, Mem{Base: out, Disp: disp})
		} else {
			VMOVSS(z.AsX(), Mem{Base: out, Disp: disp})
		}
	}
	loops(n, step, func(count int) {
		ADDQ(U32(4*count), out)
		if mode != "ScalarA" {
			ADDQ(U32(4*count), a)
		}
		if mode != "ScalarB" {
			ADDQ(U32(4*count), b)
		}
	})
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

// function1 is a function of one number. constants are broadcast before the loop.
type function1 struct {
	name, formula string
	constants     []uint32
	apply         func(packed bool, x VecVirtual, constants []VecVirtual, z VecVirtual)
}

var unary = []function1{
	{"relu", "x[i] > 0 ? x[i] : 0", []uint32{0}, func(packed bool, x VecVirtual, c []VecVirtual, z VecVirtual) {
		either(VMAXPS, VMAXSS)(packed, x, c[0], z)
	}},
	{"abs", "|x[i]|", []uint32{0x7fffffff}, func(_ bool, x VecVirtual, c []VecVirtual, z VecVirtual) {
		VANDPS(c[0], x, z)
	}},
	{"negative", "-x[i]", []uint32{0x80000000}, func(_ bool, x VecVirtual, c []VecVirtual, z VecVirtual) {
		VXORPS(c[0], x, z)
	}},
	{"exp", "exp(x[i])", nil, func(_ bool, x VecVirtual, _ []VecVirtual, z VecVirtual) {
		VMOVAPS(exponential(x), z)
	}},
	{"sigmoid", "1 / (1 + exp(-x[i]))", nil, func(_ bool, x VecVirtual, _ []VecVirtual, z VecVirtual) {
		logistic(x, z)
	}},
	{"tanh", "tanh(x[i])", nil, func(_ bool, x VecVirtual, _ []VecVirtual, z VecVirtual) {
		hyperbolicTangent(x, z)
	}},
	{"sqrt", "the square root of x[i]", nil, func(packed bool, x VecVirtual, _ []VecVirtual, z VecVirtual) {
		if packed {
			VSQRTPS(x, z)
		} else {
			VSQRTSS(x.AsX(), x.AsX(), z.AsX())
		}
	}},
}

func (f *function1) generate() {
	name := f.name + "Row"
	TEXT(name, NOSPLIT, "func(out, x *float32, n int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s sets, for i below n,", name), "", "\tout[i] = "+f.formula)
	out := Load(Param("out"), GP64())
	x := Load(Param("x"), GP64())
	n := Load(Param("n"), GP64())
	constants := make([]VecVirtual, len(f.constants))
	for i, bits := range f.constants {
		constants[i] = YMM()
		r := GP32()
		MOVL(U32(bits), r)
		VMOVD(r, constants[i].AsX())
		VBROADCASTSS(constants[i].AsX(), constants[i])
	}
	step := func(packed bool, disp int) {
		v, z := YMM(), YMM()
		if packed {
			VMOVUPS(Mem{Base: x, Disp: disp}, v)
		} else {
			VMOVSS(Mem{Base: x, Disp: disp}, v.AsX())
		}
		f.apply(packed, v, constants, z)
		if packed {
			VMOVUPS(z, Mem{Base: out, Disp: disp})
		} else {
			VMOVSS(z.AsX(), Mem{Base: out, Disp: disp})
		}
	}
	loops(n, step, func(count int) {
		ADDQ(U32(4*count), out)
		ADDQ(U32(4*count), x)
	})
}
