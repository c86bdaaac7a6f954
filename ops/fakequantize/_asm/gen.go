// Command gen writes the assembly of package fakequantize.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const many = 2 // vectors in an iteration of the main loop

// numbers are the parameters that all loops need, exact those that only the exact loops need.
var (
	numbers = []string{"least", "greatest", "low", "outLow", "outHigh", "span", "perLevel", "scale", "correction"}
	exact   = []string{"width", "levels", "perWidth"}
)

func main() {
	ConstraintExpr("amd64,!noasm")
	generate("quantizeRow2", "AVX2 and FMA", vectors{lanes: 8, wide: false})
	generate("quantizeRow512", "AVX512F", vectors{lanes: 16, wide: true})
	columns("quantizeColumns2", "AVX2", vectors{lanes: 8, wide: false})
	columns("quantizeColumns512", "AVX512F", vectors{lanes: 16, wide: true})
	Generate()
}

// vectors are the vectors of an instruction set.
type vectors struct {
	lanes int
	wide  bool // AVX-512
}

func (s vectors) register() VecVirtual {
	if s.wide {
		return ZMM()
	}
	return YMM()
}

func generate(name, needs string, s vectors) {
	TEXT(name, NOSPLIT, "func(out, x *float32, n int, least, greatest, low, outLow, outHigh, span, perLevel, scale, correction, width, levels, perWidth, margin float32)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s computes out[i] = level.apply(x[i]) for n elements. perWidth and perLevel are", name),
		"reciprocals, scale is levels/width, and perLevel+correction is nearly 1/levels. If margin is not",
		"negative, elements that scale takes no farther than margin from a whole number have that level.",
		"It needs "+needs+".",
	)
	out, x, n := Load(Param("out"), GP64()), Load(Param("x"), GP64()), Load(Param("n"), GP64())
	c := make(map[string]VecVirtual)
	broadcast := func(names []string, at int) {
		for i, name := range names {
			c[name] = s.register()
			VBROADCASTSS(NewParamAddr(name, at+4*i), c[name])
		}
	}
	const first = 24
	broadcast(numbers, first)
	atExact := first + 4*len(numbers)
	marginAt := NewParamAddr("margin", atExact+4*len(exact))
	margin, bits := s.register(), GP32()
	VBROADCASTSS(marginAt, margin)
	MOVL(marginAt, bits)
	advance := func(count int) {
		ADDQ(U32(4*count*s.lanes), x)
		ADDQ(U32(4*count*s.lanes), out)
		SUBQ(U32(count*s.lanes), n)
	}
	at := func(base Register, i int) Mem { return Mem{Base: base, Disp: 4 * s.lanes * i} }

	Label("many")
	CMPQ(n, U32(many*s.lanes))
	JL(LabelRef("few"))
	TESTL(bits, bits)
	JS(LabelRef("exact"))
	near, absolute, results := s.near(), s.absolute(), make([]VecVirtual, many)
	for i := range results {
		results[i] = s.estimate(at(x, i), c, margin, absolute, near, i == 0)
	}
	s.jumpIfAny(near, "exact")
	for i, y := range results {
		VMOVUPS(y, at(out, i))
	}
	advance(many)
	JMP(LabelRef("many"))

	Label("exact")
	broadcast(exact, atExact)
	for i := range many {
		v := s.register()
		VMOVUPS(at(x, i), v)
		VMOVUPS(s.quantize(v, c), at(out, i))
	}
	advance(many)
	JMP(LabelRef("many"))

	Label("few")
	broadcast(exact, atExact)
	Label("one")
	CMPQ(n, U32(s.lanes))
	JL(LabelRef("after_one"))
	v := s.register()
	VMOVUPS(Mem{Base: x}, v)
	VMOVUPS(s.quantize(v, c), Mem{Base: out})
	advance(1)
	JMP(LabelRef("one"))
	Label("after_one")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	s.rest(out, x, n, c)
	Label("done")
	VZEROUPPER()
	RET()
}

// columns generates the function for limits of each element.
func columns(name, needs string, s vectors) {
	TEXT(name, NOSPLIT, "func(out, x, low, high, outLow, outHigh *float32, n int, levels float32)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s computes out[i] = level.apply(x[i]) for n elements, a multiple of %d, of which", name, s.lanes),
		"each has limits of its own. It needs "+needs+".",
	)
	var base [6]Register
	for i, name := range []string{"x", "low", "high", "outLow", "outHigh", "out"} {
		base[i] = Load(Param(name), GP64())
	}
	n, at := Load(Param("n"), GP64()), GP64()
	levels := s.register()
	VBROADCASTSS(NewParamAddr("levels", 56), levels)
	XORQ(at, at)
	Label("loop")
	var v [5]VecVirtual // x, low, high, outLow, outHigh
	for i := range v {
		v[i] = s.register()
		VMOVUPS(Mem{Base: base[i], Index: at, Scale: 4}, v[i])
	}
	y, width := s.register(), s.register()
	VSUBPS(v[1], v[0], y)
	VSUBPS(v[1], v[2], width)
	VDIVPS(width, y, y)
	VMULPS(levels, y, y)
	if s.wide {
		VRNDSCALEPS(Imm(0), y, y)
	} else {
		VROUNDPS(Imm(0), y, y)
	}
	VDIVPS(levels, y, y)
	span := s.register()
	VSUBPS(v[3], v[4], span)
	VMULPS(span, y, y)
	VADDPS(v[3], y, y)
	for _, c := range []struct {
		predicate uint8
		value     VecVirtual
	}{{greater, v[4]}, {lessOrEqual, v[3]}} {
		if s.wide {
			k := K()
			VCMPPS(Imm(uint64(c.predicate)), v[1], v[0], k)
			VCMPPS(Imm(uint64(c.predicate)), v[2], v[0], k, k)
			VMOVAPS(c.value, k, y)
			continue
		}
		a, b := s.register(), s.register()
		VCMPPS(Imm(uint64(c.predicate)), v[1], v[0], a)
		VCMPPS(Imm(uint64(c.predicate)), v[2], v[0], b)
		VANDPS(a, b, a)
		VBLENDVPS(a, c.value, y, y)
	}
	VMOVUPS(y, Mem{Base: base[5], Index: at, Scale: 4})
	ADDQ(U32(s.lanes), at)
	CMPQ(at, n)
	JL(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// near returns a register for the lanes that are too far from a whole number for their level to be
// known.
func (s vectors) near() Register {
	if s.wide {
		return K()
	}
	return YMM()
}

// estimate returns the quantised elements at x without a division. It sets the lanes of near whose
// level is not certain, or adds them unless first is true.
func (s vectors) estimate(x Mem, c map[string]VecVirtual, margin VecVirtual, absolute Mem, near Register, first bool) VecVirtual {
	v, k, y := s.register(), s.register(), s.register()
	VMAXPS(x, c["least"], v) // keeps NaN
	VSUBPS(c["low"], v, y)
	VMULPS(c["scale"], y, y)
	distance := s.register()
	if s.wide {
		VRNDSCALEPS(Imm(0), y, k)
		VSUBPS(k, y, distance)
		VPANDD(absolute, distance, distance)
		far := K()
		VPCMPGTD(margin, distance, far)
		if first {
			KMOVW(far, near)
		} else {
			KORW(far, near, near)
		}
	} else {
		VROUNDPS(Imm(0), y, k)
		VSUBPS(k, y, distance)
		VPAND(absolute, distance, distance)
		VPCMPGTD(margin, distance, distance)
		if first {
			VMOVDQA(distance, near)
		} else {
			VPOR(distance, near, near)
		}
	}
	VMULPS(c["correction"], k, y)
	VFMADD231PS(c["perLevel"], k, y) // k/levels, correctly rounded
	VMULPS(c["span"], y, y)
	VADDPS(c["outLow"], y, y)
	s.where(greater, v, c["greatest"], c["outHigh"], y)
	return y
}

// absolute returns a vector of the bits of a number without its sign.
func (s vectors) absolute() Mem {
	table := GLOBL(fmt.Sprintf("absolute%d", s.lanes), RODATA|NOPTR)
	for i := range s.lanes {
		DATA(4*i, U32(1<<31-1))
	}
	return table
}

// jumpIfAny jumps to a label if a lane of near is set.
func (s vectors) jumpIfAny(near Register, label string) {
	any := GP32()
	if s.wide {
		KMOVW(near, any)
		TESTL(any, any)
	} else {
		VMOVMSKPS(near, any)
		TESTL(any, any)
	}
	JNE(LabelRef(label))
}

// rest computes the last n elements, fewer than a vector.
func (s vectors) rest(out, x, n Register, c map[string]VecVirtual) {
	v := s.register()
	if s.wide {
		bits, part := GP32(), K()
		MOVL(U32(1<<32-1), bits)
		BZHIL(n.(GPVirtual).As32(), bits, bits)
		KMOVW(bits, part)
		VMOVUPS_Z(Mem{Base: x}, part, v)
		VMOVUPS(s.quantize(v, c), part, Mem{Base: out})
		return
	}
	part := first(s, n)
	VMASKMOVPS(Mem{Base: x}, part, v)
	VMASKMOVPS(s.quantize(v, c), part, Mem{Base: out})
}

// first returns a mask of the first count lanes.
func first(s vectors, count Register) VecVirtual {
	table := GLOBL("first", RODATA|NOPTR)
	for i := range 2 * s.lanes {
		word := uint32(0)
		if i < s.lanes {
			word = 1<<32 - 1
		}
		DATA(4*i, U32(word))
	}
	m, base, at := YMM(), GP64(), GP64()
	LEAQ(table.Offset(4*s.lanes), base)
	MOVQ(count, at)
	NEGQ(at)
	VMOVUPS(Mem{Base: base, Index: at, Scale: 4}, m)
	return m
}

// lessOrEqual and greater are predicates of VCMPPS that are false for NaN.
const lessOrEqual, greater = 2, 14

func (s vectors) quantize(x VecVirtual, c map[string]VecVirtual) VecVirtual {
	difference := s.register()
	VSUBPS(c["low"], x, difference)
	y := s.divide(difference, c["width"], c["perWidth"])
	VMULPS(c["levels"], y, y)
	if s.wide {
		VRNDSCALEPS(Imm(0), y, y) // halves to even
	} else {
		VROUNDPS(Imm(0), y, y)
	}
	y = s.divide(y, c["levels"], c["perLevel"])
	VMULPS(c["span"], y, y)
	VADDPS(c["outLow"], y, y)
	s.where(greater, x, c["greatest"], c["outHigh"], y)
	s.where(lessOrEqual, x, c["least"], c["outLow"], y)
	return y
}

// divide returns a/b, correctly rounded: the product with the reciprocal, and a step that adds what
// it lacks. The caller sees to it that no step overflows or underflows.
func (s vectors) divide(a, b, perB VecVirtual) VecVirtual {
	q := s.register()
	VMULPS(perB, a, q)
	VFNMADD231PS(b, q, a) // a - q*b, which is exact
	VFMADD231PS(perB, a, q)
	return q
}

// where sets y to value in the lanes where the predicate holds for x and limit.
func (s vectors) where(predicate uint8, x, limit, value, y VecVirtual) {
	if s.wide {
		k := K()
		VCMPPS(Imm(uint64(predicate)), limit, x, k)
		VMOVAPS(value, k, y)
		return
	}
	mask := YMM()
	VCMPPS(Imm(uint64(predicate)), limit, x, mask)
	VBLENDVPS(mask, value, y, y)
}
