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

// fields loads the parameter c, a pointer, and returns functions for the fields that it points to.
func fields() (field func(at int) Mem, load func(at int) GPVirtual) {
	c := Load(Param("c"), GP64())
	field = func(at int) Mem { return Mem{Base: c, Disp: at} }
	load = func(at int) GPVirtual {
		r := GP64()
		MOVQ(field(at), r)
		return r
	}
	return field, load
}

// byteMaxima generates the function that finds the maxima of windows of bytes.
func byteMaxima() {
	TEXT("byteMaxima512", NOSPLIT, "func(c *byte)")
	Pragma("noescape")
	Doc("byteMaxima512 computes an output plane. c is a byteMaximaCall. It needs AVX512F and AVX512BW.")
	field, load := fields()
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

// The layout of floatMaximaCall in floatmaxima_amd64.go, and of a floatStep in its table.
const (
	floatsIn, floatsOut, floatsTable        = 0, 8, 16
	floatsPlanes, floatsRows, floatsSteps   = 24, 32, 40
	floatsInputRows, floatsInputWidth       = 48, 56
	floatsStride, floatsDilation, floatsTop = 64, 72, 80
	floatsKernelY, floatsKernelX            = 88, 96
	floatsPlaneIn, floatsRow                = 104, 112
	floatStepAt, floatStepOut               = 0, 8
	floatStepFirst, floatStepSecond         = 16, 18
	floatStepStored, floatStepSize          = 20, 24
)

// floatMaxima generates the function that finds the maxima of windows of float32 that are two
// columns apart.
func floatMaxima() {
	TEXT("floatMaxima512", NOSPLIT, "func(c *byte) (nan int)")
	Pragma("noescape")
	Doc("floatMaxima512 computes rows of output planes. c is a floatMaximaCall. nan is 0 if no element is NaN. Otherwise the output is unspecified. It",
		"needs AVX512F and AVX512DQ.")
	field, load := fields()
	t := table("evenColumns", func(i int) uint32 { return uint32(2 * i) }, 16)
	even, one, least, nan := ZMM(), ZMM(), ZMM(), K4
	VMOVDQU32(t, even)
	VPBROADCASTD(constant(1), one)
	VBROADCASTSS(constant(0xff800000), least) // -Inf
	KXORW(nan, nan, nan)
	out, width := load(floatsOut), load(floatsInputWidth)
	Label("plane")
	rows, position := load(floatsRows), load(floatsTop)
	MOVQ(rows, field(floatsRow))
	Label("row")
	step, steps := load(floatsTable), load(floatsSteps)
	Label("step")
	KMOVW(Mem{Base: step, Disp: floatStepFirst}, K1)
	KMOVW(Mem{Base: step, Disp: floatStepSecond}, K2)
	KMOVW(Mem{Base: step, Disp: floatStepStored}, K3)
	first, second := ZMM(), ZMM()
	VMOVAPS(least, first)
	VMOVAPS(least, second)
	row, kernel := GP64(), load(floatsKernelY)
	MOVQ(position, row)
	Label("line")
	CMPQ(row, field(floatsInputRows))
	JCC(LabelRef("next")) // unsigned: negative rows too
	from := GP64()
	MOVQ(row, from)
	IMULQ(width, from)
	ADDQ(field(floatsIn), from)
	ADDQ(Mem{Base: step, Disp: floatStepAt}, from)
	x, y := ZMM(), ZMM()
	VMOVUPS_Z(Mem{Base: from}, K1, x)
	VMOVUPS_Z(Mem{Base: from, Disp: 64}, K2, y)
	VCMPPS(Imm(unordered), x, y, K5)
	KORW(K5, nan, nan)
	VMAXPS(x, first, K1, first)
	VMAXPS(y, second, K2, second)
	Label("next")
	ADDQ(field(floatsDilation), row)
	DECQ(kernel)
	JNE(LabelRef("line"))

	most, places, taps := ZMM(), ZMM(), load(floatsKernelX)
	VMOVAPS(first, most)
	VPERMT2PS(second, even, most)
	VMOVDQA32(even, places)
	DECQ(taps)
	JE(LabelRef("store"))
	Label("tap")
	VPADDD(one, places, places)
	other := ZMM()
	VMOVAPS(first, other)
	VPERMT2PS(second, places, other)
	VMAXPS(other, most, most)
	DECQ(taps)
	JNE(LabelRef("tap"))
	Label("store")
	VMOVUPS(most, K3, Mem{Base: out})
	ADDQ(Mem{Base: step, Disp: floatStepOut}, out)
	ADDQ(Imm(floatStepSize), step)
	DECQ(steps)
	JNE(LabelRef("step"))
	ADDQ(field(floatsStride), position)
	DECQ(field(floatsRow))
	JNE(LabelRef("row"))
	plane := load(floatsPlaneIn)
	ADDQ(plane, field(floatsIn))
	DECQ(field(floatsPlanes))
	JNE(LabelRef("plane"))
	result := GP64()
	KMOVW(nan, result.As32())
	Store(result, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// The layout of maximaLines in bytemaxima_amd64.go.
const (
	linesOut, linesIn, linesPitch       = 0, 8, 16
	linesRows, linesTaps, linesDilation = 24, 32, 40
	linesVectors, linesStride           = 48, 56
)

// lineMaxima generates the function that finds the maxima of windows in lines that are padded, for
// AVX2.
func lineMaxima() {
	TEXT("lineMaxima2", NOSPLIT, "func(c *byte)")
	Pragma("noescape")
	Doc("lineMaxima2 computes a row of outputs, 32 at a time. c is a maximaLines. It needs AVX2.")
	field, load := fields()
	out, in, pitch, dilation, vectors := load(linesOut), load(linesIn), load(linesPitch), load(linesDilation), load(linesVectors)
	low := YMM() // the low bytes of words
	VPCMPEQW(low, low, low)
	VPSRLW(Imm(8), low, low)
	for stride, name := range []string{"all", "second"} {
		if stride == 0 {
			CMPQ(field(linesStride), Imm(1))
			JNE(LabelRef("second"))
		}
		Label(name)
		most := []VecVirtual{YMM(), YMM()}[:stride+1]
		for _, v := range most {
			VPXOR(v, v, v)
		}
		rows, line := load(linesRows), GP64()
		MOVQ(in, line)
		Label(name + "_line")
		taps, at := load(linesTaps), GP64()
		MOVQ(line, at)
		Label(name + "_tap")
		for i, v := range most {
			VPMAXUB(Mem{Base: at, Disp: 32 * i}, v, v)
		}
		ADDQ(dilation, at)
		DECQ(taps)
		JNE(LabelRef(name + "_tap"))
		ADDQ(pitch, line)
		DECQ(rows)
		JNE(LabelRef(name + "_line"))
		if stride == 1 { // the even bytes of both vectors
			for _, v := range most {
				VPAND(low, v, v)
			}
			VPACKUSWB(most[1], most[0], most[0])
			VPERMQ(Imm(0b11_01_10_00), most[0], most[0])
		}
		VMOVDQU(most[0], Mem{Base: out})
		ADDQ(Imm(32), out)
		ADDQ(Imm(uint64(32*len(most))), in)
		DECQ(vectors)
		JNE(LabelRef(name))
		VZEROUPPER()
		RET()
	}
}
