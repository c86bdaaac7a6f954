package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The layout of byteMaximaCall in bytemaxima_amd64.go.
const (
	maximaIn, maximaDst, maximaTable           = 0, 8, 16
	maximaRows, maximaWidth                    = 24, 32
	maximaInputRows, maximaInputWidth          = 40, 48
	maximaStride, maximaDilation, maximaTop    = 56, 64, 72
	maximaKernelY, maximaKernelX               = 80, 88
	maximaFirst, maximaStepTap, maximaEverySec = 96, 104, 112
)

// byteMaxima generates the function that finds the maxima of windows of bytes.
func byteMaxima() {
	TEXT("byteMaxima512", NOSPLIT, "func(c *byte)")
	Pragma("noescape")
	Doc("byteMaxima512 computes an output plane. c is a byteMaximaCall. It needs AVX512F and AVX512BW.")
	c := Load(Param("c"), GP64())
	field := func(at int) Mem { return Mem{Base: c, Disp: at} }
	load := func(at int) GPVirtual {
		r := GP64()
		MOVQ(field(at), r)
		return r
	}
	dst, position := load(maximaDst), load(maximaTop)

	Label("row")
	at, table, columns := load(maximaFirst), load(maximaTable), load(maximaWidth)
	Label("vector")
	most := ZMM()
	VPXORD(most, most, most)
	row, kernel := GP64(), load(maximaKernelY)
	MOVQ(position, row)
	Label("line")
	CMPQ(row, field(maximaInputRows))
	JCC(LabelRef("next")) // unsigned: negative rows too
	from, masks, taps := GP64(), GP64(), load(maximaKernelX)
	MOVQ(row, from)
	IMULQ(field(maximaInputWidth), from)
	ADDQ(field(maximaIn), from)
	ADDQ(at, from)
	MOVQ(table, masks)
	Label("tap")
	KMOVQ(Mem{Base: masks}, K1)
	VPMAXUB(Mem{Base: from}, most, K1, most)
	ADDQ(field(maximaStepTap), from)
	ADDQ(Imm(8), masks)
	DECQ(taps)
	JNE(LabelRef("tap"))
	Label("next")
	ADDQ(field(maximaDilation), row)
	DECQ(kernel)
	JNE(LabelRef("line"))

	taps = load(maximaKernelX)
	LEAQ(Mem{Base: table, Index: taps, Scale: 8}, table)
	KMOVQ(Mem{Base: table}, K2)
	ADDQ(Imm(8), table)
	ADDQ(Imm(64), at)
	CMPQ(field(maximaEverySec), Imm(0))
	JE(LabelRef("all"))
	half := YMM()
	VPMOVWB(most, half)
	VMOVDQU8(half, K2, Mem{Base: dst})
	wide, left := GP64(), GP64()
	MOVQ(U32(32), wide)
	JMP(LabelRef("written"))
	Label("all")
	VMOVDQU8(most, K2, Mem{Base: dst})
	MOVQ(U32(64), wide)
	Label("written")
	MOVQ(columns, left) // the last vector may have fewer columns
	CMPQ(wide, left)
	CMOVQLT(wide, left)
	ADDQ(left, dst)
	SUBQ(wide, columns)
	JG(LabelRef("vector"))
	ADDQ(field(maximaStride), position)
	DECQ(field(maximaRows))
	JNE(LabelRef("row"))
	VZEROUPPER()
	RET()
}
