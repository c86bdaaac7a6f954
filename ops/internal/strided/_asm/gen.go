// Command gen writes the assembly of package strided.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const lanes = 8

func main() {
	ConstraintExpr("amd64,!noasm")
	TEXT("transpose8", NOSPLIT, "func(dst, src *byte, dstStride, srcStride, k, l int)")
	Pragma("noescape")
	Doc(
		"transpose8 transposes elements of 4 bytes in squares of 8 by 8. For all i < k and j < l:", "",
		"\tdst[i*dstStride + 4*j] = src[4*i + j*srcStride]", "",
		"k and l must be positive multiples of 8. It needs AVX2.",
	)
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	dstStride, srcStride := Load(Param("dstStride"), GP64()), Load(Param("srcStride"), GP64())
	k, l := Load(Param("k"), GP64()), Load(Param("l"), GP64())
	dst3, src3 := triple(dstStride), triple(srcStride)
	left, to, from := GP64(), GP64(), GP64()
	Label("line")
	MOVQ(k, left)
	MOVQ(dst, to)
	MOVQ(src, from)
	Label("square")
	square(to, from, dstStride, dst3, srcStride, src3)
	ADDQ(Imm(4*lanes), from)
	LEAQ(Mem{Base: to, Index: dstStride, Scale: 8}, to)
	SUBQ(Imm(lanes), left)
	JNZ(LabelRef("square"))
	ADDQ(Imm(4*lanes), dst)
	LEAQ(Mem{Base: src, Index: srcStride, Scale: 8}, src)
	SUBQ(Imm(lanes), l)
	JNZ(LabelRef("line"))
	VZEROUPPER()
	RET()
	Generate()
}

// triple returns three times a stride.
func triple(stride Register) GPVirtual {
	r := GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, r)
	return r
}

// row returns row i of the eight rows that start at base. middle is the address of row 4.
func row(i int, base, middle, stride, stride3 Register, disp int) Mem {
	m := Mem{Base: base, Disp: disp}
	if i >= 4 {
		m.Base = middle
	}
	switch i % 4 {
	case 1:
		m.Index, m.Scale = stride, 1
	case 2:
		m.Index, m.Scale = stride, 2
	case 3:
		m.Index, m.Scale = stride3, 1
	}
	return m
}

// square transposes one square. As rows are loaded, row i+4 goes into the upper half of the
// register of row i, so that later steps stay within halves of registers.
func square(to, from, dstStride, dst3, srcStride, src3 Register) {
	toMiddle, fromMiddle := GP64(), GP64()
	LEAQ(Mem{Base: to, Index: dstStride, Scale: 4}, toMiddle)
	LEAQ(Mem{Base: from, Index: srcStride, Scale: 4}, fromMiddle)
	for half := range 2 {
		var r [4]VecVirtual
		for i := range r {
			r[i] = YMM()
			VMOVUPS(row(i, from, fromMiddle, srcStride, src3, 16*half), r[i].AsX())
			VINSERTF128(Imm(1), row(i+4, from, fromMiddle, srcStride, src3, 16*half), r[i], r[i])
		}
		a, b, c, d := YMM(), YMM(), YMM(), YMM()
		VUNPCKLPS(r[1], r[0], a)
		VUNPCKHPS(r[1], r[0], b)
		VUNPCKLPS(r[3], r[2], c)
		VUNPCKHPS(r[3], r[2], d)
		for i, pair := range [][2]VecVirtual{{a, c}, {b, d}} {
			low, high := YMM(), YMM()
			VUNPCKLPD(pair[1], pair[0], low)
			VUNPCKHPD(pair[1], pair[0], high)
			VMOVUPS(low, row(4*half+2*i, to, toMiddle, dstStride, dst3, 0))
			VMOVUPS(high, row(4*half+2*i+1, to, toMiddle, dstStride, dst3, 0))
		}
	}
}
