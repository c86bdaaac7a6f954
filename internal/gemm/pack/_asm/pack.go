package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// copyRows generates the function that copies rows of width elements.
func copyRows(width int) {
	name := fmt.Sprintf("copyRows%d", width)
	TEXT(name, NOSPLIT, "func(dst, src *float32, step, depth int)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s sets, for p below depth and l below %d,", name, width),
		"",
		fmt.Sprintf("\tdst[p*%d + l] = src[p*step + l]", width),
	)
	dst := Load(Param("dst"), GP64())
	src := Load(Param("src"), GP64())
	step := Load(Param("step"), GP64())
	depth := Load(Param("depth"), GP64())
	SHLQ(Imm(2), step)
	Label("row")
	for l := 0; l < width; {
		from, to := Mem{Base: src, Disp: 4 * l}, Mem{Base: dst, Disp: 4 * l}
		switch {
		case width-l >= 8:
			x := YMM()
			VMOVUPS(from, x)
			VMOVUPS(x, to)
			l += 8
		case width-l >= 4:
			x := XMM()
			VMOVUPS(from, x)
			VMOVUPS(x, to)
			l += 4
		default:
			x := GP64()
			MOVQ(from, x)
			MOVQ(x, to)
			l += 2
		}
	}
	ADDQ(U32(uint32(4*width)), dst)
	ADDQ(step, src)
	DECQ(depth)
	JNE(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// transpose generates the function that transposes 4 or 2 lines, eight elements of each at a time.
func transpose(lines int) {
	name := fmt.Sprintf("transpose%d", lines)
	TEXT(name, NOSPLIT, "func(dst, src *float32, line, width, depth int)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s sets, for p below depth and l below %d,", name, lines),
		"",
		"\tdst[p*width + l] = src[l*line + p]",
		"",
		"depth is a multiple of 8.",
	)
	dst := Load(Param("dst"), GP64())
	src := Load(Param("src"), GP64())
	line := Load(Param("line"), GP64())
	width := Load(Param("width"), GP64())
	depth := Load(Param("depth"), GP64())
	SHLQ(Imm(2), line)
	SHLQ(Imm(2), width)
	line3 := GP64()
	LEAQ(Mem{Base: line, Index: line, Scale: 2}, line3)
	Label("loop")
	rows := []Mem{{Base: src}, {Base: src, Index: line, Scale: 1}, {Base: src, Index: line, Scale: 2}, {Base: src, Index: line3, Scale: 1}}
	r := make([]VecVirtual, lines)
	for l := range r {
		r[l] = YMM()
		VMOVUPS(rows[l], r[l])
	}
	if lines == 4 {
		store4(dst, width, r)
	} else {
		store2(dst, width, r)
	}
	ADDQ(Imm(32), src)
	SUBQ(Imm(8), depth)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// binary returns the result of op for x and y in a new register.
func binary(op func(...Op), x, y Op) VecVirtual {
	z := YMM()
	op(y, x, z)
	return z
}

// store4 writes eight columns of four elements and moves dst behind them.
func store4(dst, width Register, r []VecVirtual) {
	lo01, hi01 := binary(VUNPCKLPS, r[0], r[1]), binary(VUNPCKHPS, r[0], r[1])
	lo23, hi23 := binary(VUNPCKLPS, r[2], r[3]), binary(VUNPCKHPS, r[2], r[3])
	columns := []VecVirtual{ // each holds positions p and p+4
		binary(VUNPCKLPD, lo01, lo23), binary(VUNPCKHPD, lo01, lo23),
		binary(VUNPCKLPD, hi01, hi23), binary(VUNPCKHPD, hi01, hi23),
	}
	for _, c := range columns {
		VMOVUPS(c.AsX(), Mem{Base: dst})
		ADDQ(width, dst)
	}
	for _, c := range columns {
		VEXTRACTF128(Imm(1), c, Mem{Base: dst})
		ADDQ(width, dst)
	}
}

// store2 writes eight columns of two elements and moves dst behind them.
func store2(dst, width Register, r []VecVirtual) {
	pairs := []VecVirtual{binary(VUNPCKLPS, r[0], r[1]), binary(VUNPCKHPS, r[0], r[1])}
	for half := range 2 {
		for _, x := range pairs {
			low := x.AsX()
			if half == 1 {
				low = XMM()
				VEXTRACTF128(Imm(1), x, low)
			}
			VMOVLPS(low, Mem{Base: dst})
			ADDQ(width, dst)
			VMOVHPS(low, Mem{Base: dst})
			ADDQ(width, dst)
		}
	}
}
