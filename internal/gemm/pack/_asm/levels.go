package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// levels generates the functions that make quads of rows of bytes, or change them.
func levels() {
	quadRows()
	quadPanel()
	flip()
	TEXT("wordRows", NOSPLIT, "func(dst *float32, a, b *uint8, n int, less uint16)")
	Pragma("noescape")
	Doc("wordRows sets pair i of dst to a[i] and b[i], less a number, as i16. n is a multiple of 16.")
	dst, a, b, n, less := Load(Param("dst"), GP64()), Load(Param("a"), GP64()), Load(Param("b"), GP64()), Load(Param("n"), GP64()), broadcastWord("less", YMM())
	Label("pairs")
	first, second := XMM(), XMM()
	VMOVDQU(Mem{Base: a}, first)
	VMOVDQU(Mem{Base: b}, second)
	low, high := XMM(), XMM()
	VPUNPCKLBW(second, first, low)
	VPUNPCKHBW(second, first, high)
	for i, half := range []VecVirtual{low, high} {
		v := YMM()
		VPMOVZXBW(half, v)
		VPSUBW(less, v, v)
		VMOVDQU(v, Mem{Base: dst, Disp: 32 * i})
	}
	ADDQ(Imm(16), a)
	ADDQ(Imm(16), b)
	ADDQ(Imm(64), dst)
	SUBQ(Imm(16), n)
	JG(LabelRef("pairs"))
	VZEROUPPER()
	RET()

	TEXT("byteRows", NOSPLIT, "func(dst *float32, a, b, c, d *uint8, n int, flip uint32)")
	Pragma("noescape")
	Doc("byteRows sets quad i of dst to a[i], b[i], c[i] and d[i], with flip by exclusive or. n is a multiple of 16.")
	dst, n = Load(Param("dst"), GP64()), Load(Param("n"), GP64())
	var from [4]Register
	for i, name := range []string{"a", "b", "c", "d"} {
		from[i] = Load(Param(name), GP64())
	}
	flip := XMM()
	VBROADCASTSS(NewParamAddr("flip", 48), flip)
	Label("quads")
	var rows [4]VecVirtual
	for i := range rows {
		rows[i] = XMM()
		VPXOR(Mem{Base: from[i]}, flip, rows[i])
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
	for i := range from {
		ADDQ(Imm(16), from[i])
	}
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

// quadRows generates the function that interleaves the bytes of four rows by AVX-512.
func quadRows() {
	TEXT("quads512", NOSPLIT, "func(to *float32, a, b, c, d *uint8, n int, flip uint32)")
	Pragma("noescape")
	Doc("quads512 sets quad i of to to a[i], b[i], c[i] and d[i], with flip by exclusive or. It needs AVX512F and AVX512BW.")
	to, n := Load(Param("to"), GP64()), Load(Param("n"), GP64())
	var rows []Register
	for _, name := range []string{"a", "b", "c", "d"} {
		rows = append(rows, Load(Param(name), GP64()))
	}
	flip, at := ZMM(), GP64()
	VBROADCASTSS(NewParamAddr("flip", 48), flip)
	XORQ(at, at)
	vector := func(load func(m Mem, v VecVirtual), store func(v VecVirtual, m Mem)) {
		var sum VecVirtual
		for i, row := range rows {
			v := ZMM()
			load(Mem{Base: row, Index: at, Scale: 1}, v)
			if i == 0 {
				sum = v
				VPXORD(flip, sum, sum)
				continue
			}
			VPSLLD(Imm(uint64(8*i)), v, v)
			VPXORD(v, sum, sum)
		}
		store(sum, Mem{Base: to, Index: at, Scale: 4})
	}
	Label("quads")
	CMPQ(n, Imm(16))
	JL(LabelRef("quads_rest"))
	vector(func(m Mem, v VecVirtual) { VPMOVZXBD(m, v) }, func(v VecVirtual, m Mem) { VMOVDQU32(v, m) })
	ADDQ(Imm(16), at)
	SUBQ(Imm(16), n)
	JMP(LabelRef("quads"))
	Label("quads_rest")
	TESTQ(n, n)
	JZ(LabelRef("quads_done"))
	bits, part := GP32(), K()
	MOVL(U32(1<<32-1), bits)
	BZHIL(n.(GPVirtual).As32(), bits, bits)
	KMOVW(bits, part)
	vector(func(m Mem, v VecVirtual) { VPMOVZXBD_Z(m, part, v) }, func(v VecVirtual, m Mem) { VMOVDQU32(v, part, m) })
	Label("quads_done")
	VZEROUPPER()
	RET()
}

// quadPanel generates the function that interleaves the bytes of many rows for a panel.
func quadPanel() {
	TEXT("quadPanel512", NOSPLIT, "func(dst *float32, src *uint8, stride, quads, columns int)")
	Pragma("noescape")
	Doc("quadPanel512 sets row p of a panel of 32 columns, for each p < quads, to the quads of rows 4*p to 4*p+3 of src, which are stride bytes",
		"apart and have 1 to 32 columns. It needs AVX512F and BMI2.")
	dst, row, stride, quads := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("stride"), GP64()), Load(Param("quads"), GP64())
	masks, three := columnMasks(), GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, three)
	Label("loop")
	for i, mask := range masks {
		sum := ZMM()
		for c, m := range []Mem{{Base: row}, {Base: row, Index: stride, Scale: 1}, {Base: row, Index: stride, Scale: 2}, {Base: row, Index: three, Scale: 1}} {
			v := sum
			if c > 0 {
				v = ZMM()
			}
			m.Disp = 16 * i
			VPMOVZXBD_Z(m, mask, v)
			if c > 0 {
				VPSLLD(Imm(uint64(8*c)), v, v)
				VPORD(v, sum, sum)
			}
		}
		VMOVDQU32(sum, Mem{Base: dst, Disp: 64 * i})
	}
	LEAQ(Mem{Base: row, Index: stride, Scale: 4}, row)
	ADDQ(U32(128), dst)
	DECQ(quads)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// flip generates the function that changes quads where they are.
func flip() {
	TEXT("flipAVX2", NOSPLIT, "func(quads *float32, n int, flip uint32)")
	Pragma("noescape")
	Doc("flipAVX2 combines n quads with flip by exclusive or. n is a multiple of 8.")
	quads, n, flip := Load(Param("quads"), GP64()), Load(Param("n"), GP64()), YMM()
	VBROADCASTSS(NewParamAddr("flip", 16), flip)
	Label("flip")
	v := YMM()
	VPXOR(Mem{Base: quads}, flip, v)
	VMOVDQU(v, Mem{Base: quads})
	ADDQ(Imm(32), quads)
	SUBQ(Imm(8), n)
	JG(LabelRef("flip"))
	VZEROUPPER()
	RET()
}
