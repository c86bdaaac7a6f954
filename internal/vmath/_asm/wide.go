package main

import (
	"math"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// wide writes the functions of rows for AVX-512: 16 lanes, constants in registers,
// and the elements behind the last vector as one more, of which only some lanes are
// there.
func wide() {
	for i := range reductions {
		wideReduction(&reductions[i])
	}
	wideAffine()
	wideSoftmax()
}

const wideLanes = 16

// wideConstants broadcasts numbers to registers.
func wideConstants(numbers ...float64) []VecVirtual {
	all := make([]VecVirtual, len(numbers))
	for i, x := range numbers {
		all[i] = ZMM()
		VBROADCASTSS(number(x), all[i])
	}
	return all
}

var wideNumbers = []float64{
	89, -104, math.Log2E, 0.693359375, -2.12194440e-4, 1.9875691500e-4,
	1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1, 1, 1,
}

// wideExponential is exponential with c, the numbers above. The instruction that
// multiplies by the power of two takes care of the ends of the range.
func wideExponential(x VecVirtual, c []VecVirtual) VecVirtual {
	n, y := ZMM(), ZMM()
	VMINPS(x, c[0], x)
	VMAXPS(x, c[1], x)
	VMULPS(c[2], x, n)
	VRNDSCALEPS(Imm(0), n, n)
	VFNMADD231PS(c[3], n, x)
	VFNMADD231PS(c[4], n, x)
	VMOVAPS(c[5], y)
	for _, p := range c[6:] {
		VFMADD213PS(p, x, y)
	}
	VSCALEFPS(n, y, y)
	return y
}

// wideWalk is walk for AVX-512: step gets nil for a vector of which all is there.
func wideWalk(n Register, step func(part Register, disp int), advance func(count int)) {
	for _, loop := range []struct {
		label string
		count int
	}{{"many", unroll * wideLanes}, {"vector", wideLanes}} {
		Label(loop.label)
		CMPQ(n, U32(loop.count))
		JL(LabelRef("after_" + loop.label))
		for i := 0; i < loop.count; i += wideLanes {
			step(nil, 4*i)
		}
		advance(loop.count)
		SUBQ(U32(loop.count), n)
		JMP(LabelRef(loop.label))
		Label("after_" + loop.label)
	}
	TESTQ(n, n)
	JZ(LabelRef("done"))
	bits, part := GP64(), K()
	MOVQ(U32(1<<wideLanes-1), bits)
	BZHIQ(n, bits, bits)
	KMOVW(bits.As32(), part)
	step(part, 0)
	Label("done")
}

func wideReduction(f *reduction) {
	name := strings.TrimSuffix(f.name, "Row") + "Row512"
	TEXT(name, NOSPLIT, "func("+f.parameters+") float32")
	Pragma("noescape")
	Doc(name + " is " + f.name + " for AVX-512.")
	exps := f.name == "expSumRow"
	var out Register
	if exps {
		out = Load(Param("out"), GP64())
	}
	x := Load(Param("x"), GP64())
	var m VecVirtual
	if exps || f.name == "squaresRow" {
		m = ZMM()
		VBROADCASTSS(NewParamAddr("m", map[bool]int{true: 16, false: 8}[exps]), m)
	}
	n := Load(Param("n"), GP64())
	var c []VecVirtual
	if exps {
		c = wideConstants(wideNumbers...)
	}
	acc := make([]VecVirtual, unroll)
	for i := range acc {
		acc[i] = ZMM()
		if f.name == "maxRow" {
			VBROADCASTSS(Mem{Base: x}, acc[i])
		} else {
			VPXORQ(acc[i], acc[i], acc[i])
		}
	}
	join := func(ops ...Op) {
		if f.name == "maxRow" {
			VMAXPS(ops...)
		} else {
			VADDPS(ops...)
		}
	}
	step := func(part Register, disp int) {
		to := acc[disp/(4*wideLanes)]
		v := ZMM()
		if part == nil {
			VMOVUPS(Mem{Base: x, Disp: disp}, v)
		} else {
			VMOVUPS_Z(Mem{Base: x, Disp: disp}, part, v)
		}
		if m != nil {
			VSUBPS(m, v, v)
		}
		switch {
		case exps:
			v = wideExponential(v, c)
			if part == nil {
				VMOVUPS(v, Mem{Base: out, Disp: disp})
			} else {
				VMOVUPS(v, part, Mem{Base: out, Disp: disp})
			}
		case f.name == "squaresRow":
			VMULPS(v, v, v)
		}
		if part == nil {
			join(v, to, to)
		} else {
			join(v, to, part, to)
		}
	}
	wideWalk(n, step, func(count int) {
		if exps {
			ADDQ(U32(4*count), out)
		}
		ADDQ(U32(4*count), x)
	})
	join(acc[1], acc[0], acc[0])
	join(acc[3], acc[2], acc[2])
	join(acc[2], acc[0], acc[0])
	fold(acc[0], join)
	Store(acc[0].AsX(), ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// fold joins the lanes of v into each of the lowest four.
func fold(v VecVirtual, join func(...Op)) {
	low, high := v.AsY(), YMM()
	VEXTRACTF64X4(Imm(1), v, high)
	join(high, low, low)
	VEXTRACTF32X4(Imm(1), low, high.AsX())
	join(high, low, low)
	for _, order := range []uint64{0x4e, 0xb1} {
		VPERMILPS(Imm(order), low, high)
		join(high, low, low)
	}
}

// wideSoftmax writes the softmax of rows that fit one vector.
func wideSoftmax() {
	TEXT("softmaxRows512", NOSPLIT, "func(out, x *float32, n, rows int)")
	Pragma("noescape")
	Doc("softmaxRows512 sets each of rows, at least 1, of n elements, 1 to 16, to", "",
		"\tout[i] = exp(x[i]-max(x)) / sum(exp(x-max(x)))")
	out := Load(Param("out"), GP64())
	x := Load(Param("x"), GP64())
	n := Load(Param("n"), GP64())
	rows := Load(Param("rows"), GP64())
	bits, part := GP64(), K()
	MOVQ(U32(1<<wideLanes-1), bits)
	BZHIQ(n, bits, bits)
	KMOVW(bits.As32(), part)
	SHLQ(Imm(2), n)
	c := wideConstants(wideNumbers...)
	least := wideConstants(math.Inf(-1))[0]
	one := c[len(c)-1]
	Label("row")
	v, m, sum := ZMM(), ZMM(), ZMM()
	// The lanes behind the row are -infinity, whose exponential is 0.
	VMOVAPS(least, v)
	VMOVUPS(Mem{Base: x}, part, v)
	VMOVAPS(v, m)
	fold(m, func(ops ...Op) { VMAXPS(ops...) })
	VBROADCASTSS(m.AsX(), m)
	VSUBPS(m, v, v)
	e := wideExponential(v, c)
	VMOVAPS(e, sum)
	fold(sum, func(ops ...Op) { VADDPS(ops...) })
	VBROADCASTSS(sum.AsX(), sum)
	VDIVPS(sum, one, sum)
	VMULPS(sum, e, e)
	VMOVUPS(e, part, Mem{Base: out})
	ADDQ(n, x)
	ADDQ(n, out)
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

func wideAffine() {
	TEXT("affineRow512", NOSPLIT, "func(out, x *float32, sub, mul, add float32, n int)")
	Pragma("noescape")
	Doc("affineRow512 is affineRow for AVX-512.")
	out := Load(Param("out"), GP64())
	x := Load(Param("x"), GP64())
	var numbers [3]VecVirtual
	for i, name := range []string{"sub", "mul", "add"} {
		numbers[i] = ZMM()
		VBROADCASTSS(NewParamAddr(name, 16+4*i), numbers[i])
	}
	n := Load(Param("n"), GP64())
	step := func(part Register, disp int) {
		v := ZMM()
		if part == nil {
			VMOVUPS(Mem{Base: x, Disp: disp}, v)
		} else {
			VMOVUPS_Z(Mem{Base: x, Disp: disp}, part, v)
		}
		VSUBPS(numbers[0], v, v)
		VFMADD213PS(numbers[2], numbers[1], v)
		if part == nil {
			VMOVUPS(v, Mem{Base: out, Disp: disp})
		} else {
			VMOVUPS(v, part, Mem{Base: out, Disp: disp})
		}
	}
	wideWalk(n, step, func(count int) {
		ADDQ(U32(4*count), out)
		ADDQ(U32(4*count), x)
	})
	VZEROUPPER()
	RET()
}
