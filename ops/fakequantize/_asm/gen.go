// Command gen writes the assembly of package fakequantize.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const (
	lanes = 8
	many  = 4 // vectors in an iteration of the main loop
)

var numbers = []string{"least", "greatest", "low", "width", "outLow", "outHigh", "span", "levels"}

func main() {
	ConstraintExpr("amd64,!noasm")
	TEXT("quantizeRow", NOSPLIT, "func(out, x *float32, n int, least, greatest, low, width, outLow, outHigh, span, levels float32)")
	Pragma("noescape")
	Doc(
		"quantizeRow computes out[i] = level.apply(x[i]) for n elements. It needs AVX2.",
	)
	out, x, n := Load(Param("out"), GP64()), Load(Param("x"), GP64()), Load(Param("n"), GP64())
	c := make(map[string]VecVirtual)
	for i, name := range numbers {
		c[name] = YMM()
		VBROADCASTSS(NewParamAddr(name, 24+4*i), c[name])
	}
	for _, vectors := range []int{many, 1} {
		label := fmt.Sprintf("vectors%d", vectors)
		Label(label)
		CMPQ(n, U32(vectors*lanes))
		JL(LabelRef("after_" + label))
		for i := range vectors {
			v := YMM()
			VMOVUPS(Mem{Base: x, Disp: 4 * lanes * i}, v)
			VMOVUPS(quantize(v, c), Mem{Base: out, Disp: 4 * lanes * i})
		}
		ADDQ(U32(4*vectors*lanes), x)
		ADDQ(U32(4*vectors*lanes), out)
		SUBQ(U32(vectors*lanes), n)
		JMP(LabelRef(label))
		Label("after_" + label)
	}
	TESTQ(n, n)
	JZ(LabelRef("done"))
	part := first(n)
	v := YMM()
	VMASKMOVPS(Mem{Base: x}, part, v)
	VMASKMOVPS(quantize(v, c), part, Mem{Base: out})
	Label("done")
	VZEROUPPER()
	RET()
	Generate()
}

// first returns a mask of the first count lanes.
func first(count Register) VecVirtual {
	table := GLOBL("first", RODATA|NOPTR)
	for i := range 2 * lanes {
		word := uint32(0)
		if i < lanes {
			word = 1<<32 - 1
		}
		DATA(4*i, U32(word))
	}
	m, base, at := YMM(), GP64(), GP64()
	LEAQ(table.Offset(4*lanes), base)
	MOVQ(count, at)
	NEGQ(at)
	VMOVUPS(Mem{Base: base, Index: at, Scale: 4}, m)
	return m
}

// lessOrEqual and greater are predicates of VCMPPS that are false for NaN.
const lessOrEqual, greater = 2, 14

func quantize(x VecVirtual, c map[string]VecVirtual) VecVirtual {
	y, below, above := YMM(), YMM(), YMM()
	VSUBPS(c["low"], x, y)
	VDIVPS(c["width"], y, y)
	VMULPS(c["levels"], y, y)
	VROUNDPS(Imm(0), y, y) // halves to even
	VDIVPS(c["levels"], y, y)
	VMULPS(c["span"], y, y)
	VADDPS(c["outLow"], y, y)
	VCMPPS(Imm(greater), c["greatest"], x, above)
	VBLENDVPS(above, c["outHigh"], y, y)
	VCMPPS(Imm(lessOrEqual), c["least"], x, below)
	VBLENDVPS(below, c["outLow"], y, y)
	return y
}
