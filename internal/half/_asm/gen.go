// Command gen writes the assembly of package half.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// lanes is the number of elements of a vector. It is the same as in slices_amd64.go.
const lanes = 8

func main() {
	ConstraintExpr("amd64,!noasm")
	convert("widenF16", "func(dst *float32, src *uint16, n int)", 4, 2)
	convert("narrowF16", "func(dst *uint16, src *float32, n int)", 2, 4)
	widenBF16()
	narrowBF16()
	Generate()
}

// widenBF16 generates the conversion of bf16 to float32: a shift of the bits.
func widenBF16() {
	TEXT("widenBF16", NOSPLIT, "func(dst *float32, src *uint16, n int)")
	Pragma("noescape")
	Doc("widenBF16 sets dst[i] to the bf16 src[i] for each i < n. n must be a positive multiple of 8.")
	dst, src, n := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("n"), GP64())
	v := YMM()
	Label("loop")
	VPMOVZXWD(Mem{Base: src}, v)
	VPSLLD(Imm(16), v, v)
	VMOVDQU(v, Mem{Base: dst})
	ADDQ(U32(lanes*4), dst)
	ADDQ(U32(lanes*2), src)
	SUBQ(U32(lanes), n)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// narrowBF16 generates the conversion of float32 to bf16, as in BFloat16Of.
func narrowBF16() {
	TEXT("narrowBF16", NOSPLIT, "func(dst *uint16, src *float32, n int)")
	Pragma("noescape")
	Doc("narrowBF16 sets dst[i] to the bf16 nearest to src[i] for each i < n. n must be a positive", "multiple of 8.")
	dst, src, n := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("n"), GP64())
	one, half, quiet := YMM(), YMM(), YMM()
	VPCMPEQD(one, one, one)
	VPSRLD(Imm(17), one, half) // 0x7fff
	VPSRLD(Imm(31), one, one)
	VPSLLD(Imm(6), one, quiet) // 0x40
	v, high, rounded, nan := YMM(), YMM(), YMM(), YMM()
	Label("loop")
	VMOVDQU(Mem{Base: src}, v)
	VPSRLD(Imm(16), v, high)
	VPAND(one, high, rounded)
	VPADDD(v, rounded, rounded)
	VPADDD(half, rounded, rounded)
	VPSRLD(Imm(16), rounded, rounded)
	VCMPPS(Imm(3), v, v, nan) // NaN
	VPOR(quiet, high, high)
	VPBLENDVB(nan, high, rounded, rounded)
	VPACKUSDW(rounded, rounded, rounded)
	VPERMQ(Imm(0x08), rounded, rounded)
	VMOVDQU(rounded.AsX(), Mem{Base: dst})
	ADDQ(U32(lanes*2), dst)
	ADDQ(U32(lanes*4), src)
	SUBQ(U32(lanes), n)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// convert generates a conversion between f16 and float32. to and from are the bytes of an
// element of dst and src.
func convert(name, signature string, to, from int) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	result := "the f16 src[i]"
	if to < from {
		result = "the f16 nearest to src[i]"
	}
	Doc(name+" sets dst[i] to "+result+" for each i < n. n must be a positive", "multiple of 8.")
	dst := Load(Param("dst"), GP64())
	src := Load(Param("src"), GP64())
	n := Load(Param("n"), GP64())
	Label("loop")
	v := YMM()
	if to > from {
		VCVTPH2PS(Mem{Base: src}, v)
		VMOVUPS(v, Mem{Base: dst})
	} else {
		VMOVUPS(Mem{Base: src}, v)
		VCVTPS2PH(Imm(0), v, Mem{Base: dst}) // to nearest, ties to even
	}
	ADDQ(U32(lanes*to), dst)
	ADDQ(U32(lanes*from), src)
	SUBQ(U32(lanes), n)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
