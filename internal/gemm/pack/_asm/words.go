package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// words generates the functions that rows of bytes need before and after a product of two i16 at a
// time.
func words() {
	TEXT("widenBytes", NOSPLIT, "func(dst *float32, src *uint8, n int, less uint16)")
	Pragma("noescape")
	Doc("widenBytes sets dst to n bytes less a number, as i16. n is a multiple of 16.")
	dst, src, n, less := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("n"), GP64()), broadcastWord("less", YMM())
	Label("widen")
	v := YMM()
	VPMOVZXBW(Mem{Base: src}, v)
	VPSUBW(less, v, v)
	VMOVDQU(v, Mem{Base: dst})
	ADDQ(Imm(16), src)
	ADDQ(Imm(32), dst)
	SUBQ(Imm(16), n)
	JG(LabelRef("widen"))
	VZEROUPPER()
	RET()

	TEXT("scaleSums", NOSPLIT, "func(c, scale, offset *float32, n int)")
	Pragma("noescape")
	Doc("scaleSums replaces the n integers of c by float32: c[i]*scale[i] + offset[i]. n is a multiple of 8.")
	c, scale, offset, left := Load(Param("c"), GP64()), Load(Param("scale"), GP64()), Load(Param("offset"), GP64()), Load(Param("n"), GP64())
	Label("scale")
	sum, factor := YMM(), YMM()
	VCVTDQ2PS(Mem{Base: c}, sum)
	VMOVUPS(Mem{Base: scale}, factor)
	VFMADD213PS(Mem{Base: offset}, factor, sum)
	VMOVUPS(sum, Mem{Base: c})
	ADDQ(Imm(32), c)
	ADDQ(Imm(32), scale)
	ADDQ(Imm(32), offset)
	SUBQ(Imm(8), left)
	JG(LabelRef("scale"))
	VZEROUPPER()
	RET()
}
