// Command depthwisebytes generates the functions of package conv that convolve planes of bytes.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The layout of bytesCall in depthwisebytes_amd64.go.
const (
	fieldIn, fieldLine, fieldFilters, fieldDst   = 0, 8, 16, 24
	fieldScale, fieldBias                        = 32, 40
	fieldVectors, fieldPlaces                    = 48, 56
	fieldPlanes, fieldRows, fieldWidth           = 64, 72, 80
	fieldInputRows, fieldInputWidth              = 88, 96
	fieldStride, fieldDilation, fieldTop         = 104, 112, 120
	fieldKernel, fieldQuads                      = 128, 136
	fieldStepQuad, fieldStepVector, fieldStepRow = 144, 152, 160
	fieldFirst, fieldBytes                       = 168, 176
	fieldPlane, fieldRow                         = 184, 192
	fieldOutside, fieldLo, fieldHi               = 200, 204, 208
)

func main() {
	ConstraintExpr("amd64,!noasm")
	(&generator{rows: 3}).generate("depthwiseBytes3", "depthwiseBytes3 is depthwiseBytes for windows of three rows of up to four elements.")
	(&generator{}).generate("depthwiseBytes", "depthwiseBytes computes planes for any window. c is a bytesCall.")
	dots("depthwiseDots3", true, "depthwiseDots3 is depthwiseDots for windows of three rows of up to four elements.")
	dots("depthwiseDots", false, "depthwiseDots computes the sums of a plane as float32. c is a dotsCall. Rows are written in whole vectors.")
	Generate()
}

// generator generates a function for windows of one quad in each of the given rows, or for any window if rows is 0.
type generator struct {
	rows                                          int
	c                                             Register
	dwords, shuffle, outside, scale, bias, lo, hi VecVirtual
	weights                                       []VecVirtual // of the rows
	lines                                         []GPVirtual  // what the rows read
	in, filters, to, vectors, position, at        GPVirtual
}

func (g *generator) field(at int) Mem { return Mem{Base: g.c, Disp: at} }

func (g *generator) load(at int) GPVirtual {
	r := GP64()
	MOVQ(g.field(at), r)
	return r
}

func (g *generator) generate(name, doc string) {
	TEXT(name, NOSPLIT, "func(c *byte)")
	Pragma("noescape")
	Doc(doc, "It needs AVX512F, AVX512BW and AVX512VNNI.")
	g.c = Load(Param("c"), GP64())
	places := g.load(fieldPlaces)
	g.dwords, g.shuffle, g.outside, g.lo, g.hi = ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
	VMOVDQU32(Mem{Base: places}, g.dwords)
	VMOVDQU32(Mem{Base: places, Disp: 64}, g.shuffle)
	VPBROADCASTD(g.field(fieldOutside), g.outside)
	VBROADCASTSS(g.field(fieldLo), g.lo)
	VBROADCASTSS(g.field(fieldHi), g.hi)
	g.scale, g.bias = ZMM(), ZMM()
	for range g.rows {
		g.weights, g.lines = append(g.weights, ZMM()), append(g.lines, GP64())
	}
	dst := g.load(fieldDst)
	g.to = GP64()

	Label("plane")
	scale, bias, plane := g.load(fieldScale), g.load(fieldBias), g.load(fieldPlane)
	VBROADCASTSS(Mem{Base: scale, Index: plane, Scale: 4}, g.scale)
	VBROADCASTSS(Mem{Base: bias, Index: plane, Scale: 4}, g.bias)
	g.in = g.load(fieldInputRows)
	IMULQ(g.field(fieldInputWidth), g.in)
	IMULQ(plane, g.in)
	ADDQ(g.field(fieldIn), g.in)
	IMULQ(g.field(fieldKernel), plane)
	IMULQ(g.field(fieldQuads), plane)
	g.filters = g.load(fieldFilters)
	LEAQ(Mem{Base: g.filters, Index: plane, Scale: 4}, g.filters)
	for i, w := range g.weights {
		VPBROADCASTD(Mem{Base: g.filters, Disp: 4 * i}, w)
	}
	rows := g.load(fieldRows)
	MOVQ(rows, g.field(fieldRow))
	g.position = g.load(fieldTop) // row of the input that the first row of a window reads
	Label("row")
	if g.rows > 0 {
		row := GP64()
		MOVQ(g.position, row)
		for i, line := range g.lines {
			if i > 0 {
				ADDQ(g.field(fieldDilation), row)
			}
			g.line(row, line)
		}
	}
	g.at = g.load(fieldFirst)
	g.vectors = g.load(fieldVectors)
	columns := g.load(fieldWidth)
	MOVQ(dst, g.to)
	Label("vector")
	g.vector()
	ADDQ(g.field(fieldStepVector), g.at)
	SUBQ(Imm(16), columns)
	JG(LabelRef("vector"))
	ADDQ(g.field(fieldStepRow), dst)
	ADDQ(g.field(fieldStride), g.position)
	DECQ(g.field(fieldRow))
	JNE(LabelRef("row"))

	INCQ(g.field(fieldPlane))
	plane = g.load(fieldPlane)
	CMPQ(plane, g.field(fieldPlanes))
	JNE(LabelRef("plane"))
	VZEROUPPER()
	RET()
}

// line sets line to the start of a row of the input, or to the bytes outside of it.
func (g *generator) line(row, line GPVirtual) {
	other := g.load(fieldLine)
	MOVQ(row, line)
	IMULQ(g.field(fieldInputWidth), line)
	ADDQ(g.in, line)
	CMPQ(row, g.field(fieldInputRows))
	CMOVQCC(other, line) // unsigned: negative rows too
}

// dot adds the products of a quad of each of 16 windows. Bytes that are not in a row of the input are outside.
func (g *generator) dot(from Mem, w Op, sum VecVirtual) {
	x := ZMM()
	VPBLENDMB(from, g.outside, K1, x)
	VPERMD(x, g.dwords, x)
	VPSHUFB(g.shuffle, x, x)
	if m, ok := w.(Mem); ok {
		VPDPBUSD_BCST(m, x, sum)
	} else {
		VPDPBUSD(w, x, sum)
	}
}

// vector computes 16 outputs of a row, and moves to and vectors to the next ones.
func (g *generator) vector() {
	sum := ZMM()
	VPXORD(sum, sum, sum)
	if g.rows > 0 {
		KMOVQ(Mem{Base: g.vectors}, K1)
		ADDQ(Imm(8), g.vectors)
		for i, line := range g.lines {
			g.dot(Mem{Base: line, Index: g.at, Scale: 1}, g.weights[i], sum)
		}
	} else {
		g.window(sum)
	}
	KMOVW(Mem{Base: g.vectors}, K2)
	ADDQ(Imm(8), g.vectors)
	VCVTDQ2PS(sum, sum)
	VMULPS(g.scale, sum, sum)
	VADDPS(g.bias, sum, sum)
	VMAXPS(g.lo, sum, sum)
	VMINPS(g.hi, sum, sum)
	CMPQ(g.field(fieldBytes), Imm(0))
	JE(LabelRef("floats"))
	VCVTPS2DQ(sum, sum)
	result := XMM()
	VPMOVDB(sum, result)
	VMOVDQU8(result, K2, Mem{Base: g.to})
	ADDQ(Imm(16), g.to)
	JMP(LabelRef("next"))
	Label("floats")
	VMOVUPS(sum, K2, Mem{Base: g.to})
	ADDQ(Imm(64), g.to)
	Label("next")
}

// window adds all products of 16 windows.
func (g *generator) window(sum VecVirtual) {
	row, w, kernel := GP64(), GP64(), g.load(fieldKernel)
	MOVQ(g.position, row)
	MOVQ(g.filters, w)
	Label("line")
	from, masks, quads := GP64(), GP64(), g.load(fieldQuads)
	g.line(row, from)
	ADDQ(g.at, from)
	MOVQ(g.vectors, masks)
	Label("quad")
	KMOVQ(Mem{Base: masks}, K1)
	g.dot(Mem{Base: from}, Mem{Base: w}, sum)
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
