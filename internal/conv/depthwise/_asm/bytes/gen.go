// Command bytes generates the functions of package depthwise that convolve planes of bytes.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The layout of bytesCall in bytes_amd64.go.
const (
	fieldIn, fieldOutside, fieldFilters, fieldDst = 0, 8, 16, 24
	fieldScale, fieldBias                         = 32, 40
	fieldVectors, fieldPlaces                     = 48, 56
	fieldPlanes, fieldRows, fieldWidth            = 64, 72, 80
	fieldInputRows, fieldInputWidth               = 88, 96
	fieldStride, fieldDilation, fieldTop          = 104, 112, 120
	fieldKernel, fieldQuads                       = 128, 136
	fieldStepQuad, fieldStepVector, fieldStepRow  = 144, 152, 160
	fieldFirst, fieldBytes                        = 168, 176
	fieldPlane, fieldRow                          = 184, 192
	fieldStepOutside                              = 200
	fieldStepOut, fieldStepPlane                  = 208, 216
	fieldLo, fieldHi, fieldHSwish                 = 224, 228, 232
	fieldLevelScale, fieldLevelShift              = 240, 248
	fieldLevelSlope, fieldLevel, fieldLevelMax    = 256, 264, 276
	fieldInside                                   = 280
)

// three, six and sixth are the numbers of HSwish.
var three, six, sixth Mem

func main() {
	ConstraintExpr("amd64,!noasm")
	three, six, sixth = ConstData("three", F32(3)), ConstData("six", F32(6)), ConstData("sixth", F32(1./6))
	for _, stride := range []int{1, 2} {
		(&windows{rows: 3, quads: 1, stride: stride}).generate()
		(&windows{rows: 5, quads: 2, stride: stride}).generate()
	}
	(&generator{}).generate("depthwiseBytes", "depthwiseBytes computes planes for any window. c is a bytesCall.")
	dots("depthwiseDots3", true, "depthwiseDots3 is depthwiseDots for windows of three rows of up to four elements.")
	dots("depthwiseDots", false, "depthwiseDots computes the sums of a plane as float32. c is a dotsCall. Rows are written in whole vectors.")
	toFloats()
	finish("finishBytesAVX2", 2)
	finish("finishFloatsAVX2", 1)
	Generate()
}

// call has what all functions keep in registers.
type call struct {
	c                                             Register
	dwords, shuffle, outside, scale, bias, lo, hi VecVirtual
}

// generator generates the function for any window.
type generator struct {
	call
	in, filters, to, vectors, position, at GPVirtual
}

func (g *call) field(at int) Mem { return Mem{Base: g.c, Disp: at} }

func (g *call) load(at int) GPVirtual {
	r := GP64()
	MOVQ(g.field(at), r)
	return r
}

// start starts the function and loads what all planes have.
func (g *call) start(name, doc string) {
	TEXT(name, NOSPLIT, "func(c *byte)")
	Pragma("noescape")
	Doc(doc, "It needs AVX512F, AVX512BW and AVX512VNNI.")
	g.c = Load(Param("c"), GP64())
	places := g.load(fieldPlaces)
	g.dwords, g.shuffle, g.outside, g.lo, g.hi = ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
	VMOVDQU32(Mem{Base: places}, g.dwords)
	VMOVDQU32(Mem{Base: places, Disp: 64}, g.shuffle)
	VBROADCASTSS(g.field(fieldLo), g.lo)
	VBROADCASTSS(g.field(fieldHi), g.hi)
	g.scale, g.bias = ZMM(), ZMM()
}

// startPlane loads the scale, the bias and the element outside of the current plane, and returns
// its input and its filter.
func (g *call) startPlane() (in, filter GPVirtual) {
	scale, bias, plane := g.load(fieldScale), g.load(fieldBias), g.load(fieldPlane)
	outside := g.load(fieldStepOutside)
	IMULQ(plane, outside)
	ADDQ(g.field(fieldOutside), outside)
	VPBROADCASTB(Mem{Base: outside}, g.outside)
	VBROADCASTSS(Mem{Base: scale, Index: plane, Scale: 4}, g.scale)
	VBROADCASTSS(Mem{Base: bias, Index: plane, Scale: 4}, g.bias)
	for i, field := range []int{fieldLevelScale, fieldLevelShift, fieldLevelSlope} {
		label, from, x := fmt.Sprint("level", i), g.load(field), GP32()
		TESTQ(from, from)
		JE(LabelRef(label))
		MOVL(Mem{Base: from, Index: plane, Scale: 4}, x)
		MOVL(x, g.field(fieldLevel+4*i))
		Label(label)
	}
	in = g.load(fieldInputRows)
	IMULQ(g.field(fieldInputWidth), in)
	IMULQ(plane, in)
	ADDQ(g.field(fieldIn), in)
	IMULQ(g.field(fieldKernel), plane)
	IMULQ(g.field(fieldQuads), plane)
	filter = g.load(fieldFilters)
	LEAQ(Mem{Base: filter, Index: plane, Scale: 4}, filter)
	return in, filter
}

// endPlane jumps to the next plane, and returns after the last one.
func (g *call) endPlane() {
	INCQ(g.field(fieldPlane))
	plane := g.load(fieldPlane)
	CMPQ(plane, g.field(fieldPlanes))
	JNE(LabelRef("plane"))
	VZEROUPPER()
	RET()
}

func (g *generator) generate(name, doc string) {
	g.start(name, doc)
	g.to = GP64()

	Label("plane")
	g.in, g.filters = g.startPlane()
	rows := g.load(fieldRows)
	MOVQ(rows, g.field(fieldRow))
	g.position = g.load(fieldTop) // row of the input that the first row of a window reads
	Label("row")
	g.at = g.load(fieldFirst)
	g.vectors = g.load(fieldVectors)
	columns := g.load(fieldWidth)
	MOVQ(g.field(fieldDst), g.to)
	Label("vector")
	g.vector()
	ADDQ(g.field(fieldStepVector), g.at)
	SUBQ(Imm(16), columns)
	JG(LabelRef("vector"))
	step := g.load(fieldStepRow)
	ADDQ(step, g.field(fieldDst))
	ADDQ(g.field(fieldStride), g.position)
	DECQ(g.field(fieldRow))
	JNE(LabelRef("row"))
	g.endPlane()
}

// line sets line to the start of a row of the input, and the field inside to -1. If the row is
// outside, line is that of the first row, and inside is 0.
func (g *generator) line(row, line GPVirtual) {
	inside := GP64()
	MOVQ(row, inside) // which is overwritten
	MOVQ(row, line)
	IMULQ(g.field(fieldInputWidth), line)
	ADDQ(g.in, line)
	CMPQ(row, g.field(fieldInputRows))
	CMOVQCC(g.in, line) // unsigned: negative rows too
	SBBQ(inside, inside)
	MOVQ(inside, g.field(fieldInside))
}

// place puts the quads of 16 windows, which are somewhere in the bytes of x, into x.
func (g *call) place(x VecVirtual) {
	VPERMD(x, g.dwords, x)
	VPSHUFB(g.shuffle, x, x)
}

// write writes the results of sum, those of K3, as bytes or as float32.
func (g *call) write(sum VecVirtual, to GPVirtual) {
	VCVTDQ2PS(sum, sum)
	VMULPS(g.scale, sum, sum)
	VADDPS(g.bias, sum, sum)
	VMAXPS(g.lo, sum, sum)
	VMINPS(g.hi, sum, sum)
	CMPQ(g.field(fieldBytes), Imm(0))
	JE(LabelRef("floats"))
	CMPQ(g.field(fieldLevelScale), Imm(0))
	JNE(LabelRef("levels"))
	Label("bytes")
	VCVTPS2DQ(sum, sum)
	result := XMM()
	VPMOVDB(sum, result)
	VMOVDQU8(result, K3, Mem{Base: to})
	JMP(LabelRef("next"))
	Label("levels")
	zero := ZMM()
	VPXORD(zero, zero, zero)
	CMPL(g.field(fieldHSwish), Imm(0))
	JE(LabelRef("scaled"))
	x := ZMM()
	VADDPS_BCST(three, sum, x)
	VMAXPS(zero, x, x)
	VMINPS_BCST(six, x, x)
	VMULPS_BCST(sixth, x, x)
	VMULPS(x, sum, sum)
	Label("scaled")
	CMPQ(g.field(fieldLevelSlope), Imm(0))
	JE(LabelRef("sloped"))
	negative := ZMM()
	VMINPS(zero, sum, negative)
	VMULPS_BCST(g.field(fieldLevel+8), negative, negative)
	VMAXPS(zero, sum, sum)
	VADDPS(negative, sum, sum)
	Label("sloped")
	VMULPS_BCST(g.field(fieldLevel), sum, sum)
	VADDPS_BCST(g.field(fieldLevel+4), sum, sum)
	VMAXPS(zero, sum, sum) // 0 if sum is NaN
	VMINPS_BCST(g.field(fieldLevelMax), sum, sum)
	JMP(LabelRef("bytes"))
	Label("floats")
	VMOVUPS(sum, K3, Mem{Base: to})
	Label("next")
}

// vector computes 16 outputs of a row, and moves to and vectors to the next ones.
func (g *generator) vector() {
	sum := ZMM()
	VPXORD(sum, sum, sum)
	g.window(sum)
	KMOVW(Mem{Base: g.vectors}, K3)
	ADDQ(Imm(8), g.vectors)
	g.write(sum, g.to)
	ADDQ(g.field(fieldStepOut), g.to)
}

// window adds all products of 16 windows.
func (g *generator) window(sum VecVirtual) {
	row, w, kernel := GP64(), GP64(), g.load(fieldKernel)
	MOVQ(g.position, row)
	MOVQ(g.filters, w)
	Label("line")
	from := GP64()
	g.line(row, from)
	masks, quads, bits := GP64(), g.load(fieldQuads), GP64()
	ADDQ(g.at, from)
	MOVQ(g.vectors, masks)
	Label("quad")
	MOVQ(g.field(fieldInside), bits)
	ANDQ(Mem{Base: masks}, bits)
	KMOVQ(bits, K1)
	x := ZMM()
	// bytes that are not in a row of the input are outside
	VPBLENDMB(Mem{Base: from}, g.outside, K1, x)
	g.place(x)
	VPDPBUSD_BCST(Mem{Base: w}, x, sum)
	ADDQ(g.field(fieldStepQuad), from)
	ADDQ(Imm(8), masks)
	ADDQ(Imm(4), w)
	DECQ(quads)
	JNE(LabelRef("quad"))
	ADDQ(g.field(fieldDilation), row)
	DECQ(kernel)
	JNE(LabelRef("line"))
	MOVQ(masks, g.vectors)
}
