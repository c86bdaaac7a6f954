package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// levels generates the functions that make quads of rows of bytes.
func levels() {
	TEXT("wordColumns", NOSPLIT, "func(dst *uint32, src *uint8, stride, n int, less uint16)")
	Pragma("noescape")
	Doc("wordColumns sets dst to n pairs of i16: the bytes of two rows, less a number. Rows are stride bytes apart. n is a multiple of 16.")
	dst, src, stride, n, less := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("stride"), GP64()), Load(Param("n"), GP64()), broadcastWord("less", YMM())
	Label("pairs")
	first, second := XMM(), XMM()
	VMOVDQU(Mem{Base: src}, first)
	VMOVDQU(Mem{Base: src, Index: stride, Scale: 1}, second)
	low, high := XMM(), XMM()
	VPUNPCKLBW(second, first, low)
	VPUNPCKHBW(second, first, high)
	for i, half := range []VecVirtual{low, high} {
		v := YMM()
		VPMOVZXBW(half, v)
		VPSUBW(less, v, v)
		VMOVDQU(v, Mem{Base: dst, Disp: 32 * i})
	}
	ADDQ(Imm(16), src)
	ADDQ(Imm(64), dst)
	SUBQ(Imm(16), n)
	JG(LabelRef("pairs"))
	VZEROUPPER()
	RET()

	TEXT("byteColumns", NOSPLIT, "func(dst *uint32, src *uint8, stride, n int, flip uint16)")
	Pragma("noescape")
	Doc("byteColumns sets dst to n quads: the bytes of four rows, each combined with a byte of flip by exclusive or. Rows are stride bytes apart. n is a multiple of 16.")
	dst, src, stride, n = Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("stride"), GP64()), Load(Param("n"), GP64())
	flip := broadcastWord("flip", XMM())
	third := GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, third)
	Label("quads")
	var rows [4]VecVirtual
	for i, at := range []Mem{{Base: src}, {Base: src, Index: stride, Scale: 1}, {Base: src, Index: stride, Scale: 2}, {Base: src, Index: third, Scale: 1}} {
		rows[i] = XMM()
		VPXOR(at, flip, rows[i])
	}
	for half := range 2 {
		front, back := XMM(), XMM()
		if half == 0 {
			VPUNPCKLBW(rows[1], rows[0], front)
			VPUNPCKLBW(rows[3], rows[2], back)
		} else {
			VPUNPCKHBW(rows[1], rows[0], front)
			VPUNPCKHBW(rows[3], rows[2], back)
		}
		low, high := XMM(), XMM()
		VPUNPCKLWD(back, front, low)
		VPUNPCKHWD(back, front, high)
		VMOVDQU(low, Mem{Base: dst, Disp: 32 * half})
		VMOVDQU(high, Mem{Base: dst, Disp: 32*half + 16})
	}
	ADDQ(Imm(16), src)
	ADDQ(Imm(64), dst)
	SUBQ(Imm(16), n)
	JG(LabelRef("quads"))
	RET()
}

// broadcastWord loads a parameter of 16 bits into all words of a vector.
func broadcastWord(name string, v VecVirtual) VecVirtual {
	address, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	VPBROADCASTW(address.Addr, v)
	return v
}
