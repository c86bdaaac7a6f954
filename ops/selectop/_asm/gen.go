// Command gen writes the assembly of package selectop.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// lanes is the number of elements that are selected at once. It must equal lanes in
// select_amd64.go.
const lanes = 8

func main() {
	ConstraintExpr("amd64,!noasm")
	TEXT("selectWords", NOSPLIT, "func(dst *uint32, cond *uint8, a, b *uint32, stepA, stepB, n int)")
	Pragma("noescape")
	Doc(
		"selectWords sets dst[i] to a[i] if cond[i] is not 0, else to b[i], for n elements. n must be a positive",
		"multiple of 8. After each 8 elements, a advances by stepA bytes, and b by stepB. It needs AVX2.",
	)
	dst, cond, a, b := Load(Param("dst"), GP64()), Load(Param("cond"), GP64()), Load(Param("a"), GP64()), Load(Param("b"), GP64())
	stepA, stepB, n := Load(Param("stepA"), GP64()), Load(Param("stepB"), GP64()), Load(Param("n"), GP64())
	zero, mask, v := YMM(), YMM(), YMM()
	VPXOR(zero, zero, zero)
	Label("loop")
	VPMOVZXBD(Mem{Base: cond}, mask)
	VPCMPEQD(zero, mask, mask)
	VMOVDQU(Mem{Base: a}, v)
	VPBLENDVB(mask, Mem{Base: b}, v, v)
	VMOVDQU(v, Mem{Base: dst})
	ADDQ(U32(lanes), cond)
	ADDQ(stepA, a)
	ADDQ(stepB, b)
	ADDQ(U32(4*lanes), dst)
	SUBQ(U32(lanes), n)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
	Generate()
}
