package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The layout of dotsCall in bytes_dots_amd64.go.
const (
	dotsIn, dotsOut, dotsFilter, dotsShuffle = 0, 8, 16, 24
	dotsRows, dotsVectors                    = 32, 40
	dotsStepOut, dotsStepRow, dotsStepLine   = 48, 56, 64
	dotsKernel, dotsQuads                    = 72, 80
	dotsStepQuad, dotsStepVector, dotsHalf   = 88, 96, 104
)

// dots generates a function for AVX-VNNI: for windows of three rows of one quad, or for any window.
func dots(name string, three bool, doc string) {
	TEXT(name, NOSPLIT, "func(c *byte)")
	Pragma("noescape")
	Doc(doc, "It needs AVX2 and AVX_VNNI.")
	c := Load(Param("c"), GP64())
	load := func(at int) GPVirtual {
		r := GP64()
		MOVQ(Mem{Base: c, Disp: at}, r)
		return r
	}
	in, out, filter, half := load(dotsIn), load(dotsOut), load(dotsFilter), load(dotsHalf)
	step := func(field int, r Register) { ADDQ(Mem{Base: c, Disp: field}, r) }
	shuffle := YMM()
	VMOVDQU(Mem{Base: load(dotsShuffle)}, shuffle)
	var weights []VecVirtual
	if three {
		for i := range 3 {
			weights = append(weights, YMM())
			VPBROADCASTD(Mem{Base: filter, Disp: 4 * i}, weights[i])
		}
	}
	// dot adds the products of a quad of eight windows.
	dot := func(from GPVirtual, w, sum VecVirtual) {
		x := YMM()
		VMOVDQU(Mem{Base: from}, x.AsX())
		VINSERTI128(Imm(1), Mem{Base: from, Index: half, Scale: 1}, x, x)
		VPSHUFB(shuffle, x, x)
		VPDPBUSD(w, x, sum) // with VEX: see internal/vex
	}
	rows := load(dotsRows)
	Label("row")
	at, to, vectors := GP64(), GP64(), load(dotsVectors)
	MOVQ(in, at)
	MOVQ(out, to)
	Label("vector")
	sum := YMM()
	VPXOR(sum, sum, sum)
	line := GP64()
	MOVQ(at, line)
	if three {
		for i, w := range weights {
			if i > 0 {
				step(dotsStepLine, line)
			}
			dot(line, w, sum)
		}
	} else {
		w, kernel := GP64(), load(dotsKernel)
		MOVQ(filter, w)
		Label("line")
		from, quads := GP64(), load(dotsQuads)
		MOVQ(line, from)
		Label("quad")
		weight := YMM()
		VPBROADCASTD(Mem{Base: w}, weight)
		dot(from, weight, sum)
		step(dotsStepQuad, from)
		ADDQ(Imm(4), w)
		DECQ(quads)
		JNE(LabelRef("quad"))
		step(dotsStepLine, line)
		DECQ(kernel)
		JNE(LabelRef("line"))
	}
	VCVTDQ2PS(sum, sum)
	VMOVUPS(sum, Mem{Base: to})
	ADDQ(Imm(32), to)
	step(dotsStepVector, at)
	DECQ(vectors)
	JNE(LabelRef("vector"))
	step(dotsStepRow, in)
	step(dotsStepOut, out)
	DECQ(rows)
	JNE(LabelRef("row"))
	VZEROUPPER()
	RET()
}
