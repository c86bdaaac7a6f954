// Command gen writes the assembly of package fakequantize.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const many = 4 // vectors in an iteration of the main loop

var numbers = []string{"least", "greatest", "low", "width", "outLow", "outHigh", "span", "levels", "perWidth", "perLevel"}

func main() {
	ConstraintExpr("amd64,!noasm")
	generate("quantizeRow2", "AVX2 and FMA", vectors{lanes: 8, wide: false})
	generate("quantizeRow512", "AVX512F", vectors{lanes: 16, wide: true})
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
	TEXT(name, NOSPLIT, "func(out, x *float32, n int, least, greatest, low, width, outLow, outHigh, span, levels, perWidth, perLevel float32)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s computes out[i] = level.apply(x[i]) for n elements. perWidth and perLevel are reciprocals. It needs %s.", name, needs))
	out, x, n := Load(Param("out"), GP64()), Load(Param("x"), GP64()), Load(Param("n"), GP64())
	c := make(map[string]VecVirtual)
	for i, name := range numbers {
		c[name] = s.register()
		VBROADCASTSS(NewParamAddr(name, 24+4*i), c[name])
	}
	for _, count := range []int{many, 1} {
		label := fmt.Sprintf("vectors%d", count)
		Label(label)
		CMPQ(n, U32(count*s.lanes))
		JL(LabelRef("after_" + label))
		for i := range count {
			v := s.register()
			VMOVUPS(Mem{Base: x, Disp: 4 * s.lanes * i}, v)
			VMOVUPS(s.quantize(v, c), Mem{Base: out, Disp: 4 * s.lanes * i})
		}
		ADDQ(U32(4*count*s.lanes), x)
		ADDQ(U32(4*count*s.lanes), out)
		SUBQ(U32(count*s.lanes), n)
		JMP(LabelRef(label))
		Label("after_" + label)
	}
	TESTQ(n, n)
	JZ(LabelRef("done"))
	s.rest(out, x, n, c)
	Label("done")
	VZEROUPPER()
	RET()
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
