package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// reduction is a function that makes one number of a row. Each vector of a step of
// many has an accumulator of its own, and the elements behind the last vector have
// another, in the lowest lane.
type reduction struct {
	name, parameters string
	doc              []string
	start            func(x Mem, acc VecVirtual)
	// term returns what is joined to the accumulator; out is nil where the function
	// has none, and m where it has no such number.
	term func(packed bool, x, m VecVirtual, out *Mem) VecVirtual
	join func(packed bool, x, y, z VecVirtual)
}

var reductions = []reduction{
	{
		name: "maxRow", parameters: "x *float32, n int",
		doc: []string{
			"maxRow returns the greatest of n elements, of which there is one:", "",
			"\tmax = x[i] > max ? x[i] : max", "",
			"If some are NaN it returns any of them or of the elements.",
		},
		start: func(x Mem, acc VecVirtual) { VBROADCASTSS(x, acc) },
		term:  func(_ bool, x, _ VecVirtual, _ *Mem) VecVirtual { return x },
		join:  either(VMAXPS, VMAXSS),
	},
	{
		name: "sumRow", parameters: "x *float32, n int",
		doc:   []string{"sumRow returns the sum of n elements."},
		start: zero,
		term:  func(_ bool, x, _ VecVirtual, _ *Mem) VecVirtual { return x },
		join:  either(VADDPS, VADDSS),
	},
	{
		name: "squaresRow", parameters: "x *float32, m float32, n int",
		doc:   []string{"squaresRow returns the sum of (x[i]-m)*(x[i]-m) over n elements."},
		start: zero,
		term: func(packed bool, x, m VecVirtual, _ *Mem) VecVirtual {
			either(VSUBPS, VSUBSS)(packed, x, m, x)
			either(VMULPS, VMULSS)(packed, x, x, x)
			return x
		},
		join: either(VADDPS, VADDSS),
	},
	{
		name: "expSumRow", parameters: "out, x *float32, m float32, n int",
		doc: []string{
			"expSumRow sets, for i below n,", "", "\tout[i] = exp(x[i]-m)", "", "and returns their sum.",
		},
		start: zero,
		term: func(packed bool, x, m VecVirtual, out *Mem) VecVirtual {
			either(VSUBPS, VSUBSS)(packed, x, m, x)
			e := exponential0(x)
			if packed {
				VMOVUPS(e, *out)
			} else {
				VMOVSS(e.AsX(), *out)
			}
			return e
		},
		join: either(VADDPS, VADDSS),
	},
}

func zero(_ Mem, acc VecVirtual) { VXORPS(acc, acc, acc) }

func (f *reduction) generate() {
	TEXT(f.name, NOSPLIT, "func("+f.parameters+") float32")
	Pragma("noescape")
	Doc(f.doc...)
	var out Register
	if f.name == "expSumRow" {
		out = Load(Param("out"), GP64())
	}
	x := Load(Param("x"), GP64())
	var m VecVirtual
	if f.name == "expSumRow" || f.name == "squaresRow" {
		m = YMM()
		Load(Param("m"), m.AsX())
		VBROADCASTSS(m.AsX(), m)
	}
	n := Load(Param("n"), GP64())
	acc := make([]VecVirtual, unroll)
	for i := range acc {
		acc[i] = YMM()
		f.start(Mem{Base: x}, acc[i])
	}
	single := YMM()
	f.start(Mem{Base: x}, single)
	step := func(packed bool, disp int) {
		v := YMM()
		if packed {
			VMOVUPS(Mem{Base: x, Disp: disp}, v)
		} else {
			VMOVSS(Mem{Base: x, Disp: disp}, v.AsX())
		}
		to := single
		if packed {
			to = acc[disp/(4*lanes)]
		}
		f.join(packed, f.term(packed, v, m, &Mem{Base: out, Disp: disp}), to, to)
	}
	walk(n, step, func(count int) {
		if out != nil {
			ADDQ(U32(4*count), out)
		}
		ADDQ(U32(4*count), x)
	})
	f.join(true, acc[1], acc[0], acc[0])
	f.join(true, acc[3], acc[2], acc[2])
	f.join(true, acc[2], acc[0], acc[0])
	high := YMM()
	VEXTRACTF128(Imm(1), acc[0], high.AsX())
	f.join(true, high, acc[0], acc[0])
	for _, order := range []uint64{0x4e, 0xb1} {
		VPERMILPS(Imm(order), acc[0], high)
		f.join(true, high, acc[0], acc[0])
	}
	f.join(false, single, acc[0], acc[0])
	Store(acc[0].AsX(), ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// affine writes affineRow.
func affine() {
	TEXT("affineRow", NOSPLIT, "func(out, x *float32, sub, mul, add float32, n int)")
	Pragma("noescape")
	Doc("affineRow sets, for i below n,", "", "\tout[i] = (x[i]-sub)*mul + add", "", "with one rounding of the product and the sum.")
	out := Load(Param("out"), GP64())
	x := Load(Param("x"), GP64())
	numbers := make(map[string]VecVirtual)
	for _, name := range []string{"sub", "mul", "add"} {
		v := YMM()
		Load(Param(name), v.AsX())
		VBROADCASTSS(v.AsX(), v)
		numbers[name] = v
	}
	n := Load(Param("n"), GP64())
	step := func(packed bool, disp int) {
		v := YMM()
		if packed {
			VMOVUPS(Mem{Base: x, Disp: disp}, v)
			VSUBPS(numbers["sub"], v, v)
			VFMADD213PS(numbers["add"], numbers["mul"], v)
			VMOVUPS(v, Mem{Base: out, Disp: disp})
		} else {
			VMOVSS(Mem{Base: x, Disp: disp}, v.AsX())
			VSUBSS(numbers["sub"].AsX(), v.AsX(), v.AsX())
			VFMADD213SS(numbers["add"].AsX(), numbers["mul"].AsX(), v.AsX())
			VMOVSS(v.AsX(), Mem{Base: out, Disp: disp})
		}
	}
	loops(n, step, func(count int) {
		ADDQ(U32(4*count), out)
		ADDQ(U32(4*count), x)
	})
}
