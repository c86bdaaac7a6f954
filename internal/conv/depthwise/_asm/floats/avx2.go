package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// directAVX2 generates a function like that of direct, for vectors of 8 lanes. The registers hold
// only one column of the filter at a time.
type directAVX2 struct {
	kernel, stride, rows int
	name                 string

	call
	in, out, inStep, outStep, valid Register
	sums                            []Register
}

// The layout of planeStripAVX2 in direct_amd64.go. Its in and out are at the same offsets as those
// of planeStrip.
const (
	stripColumnsAVX2, stripMasksAVX2 = 16, 24
	stripSizeAVX2                    = stripMasksAVX2 + 2*7*lanesAVX2*4

	lanesAVX2 = 8
)

func (d *directAVX2) generate() {
	d.name = fmt.Sprintf("plane%ds%dAVX2", d.kernel, d.stride)
	TEXT(d.name, NOSPLIT, "func(call *byte)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s convolves planes with a filter of %d by %d and stride %d, %d rows at a time.", d.name, d.kernel, d.kernel, d.stride, d.rows),
		"call is a planeCall. It needs AVX2 and FMA.",
	)
	d.call.call = Load(Param("call"), GP64())
	d.inStep, d.outStep = GP64(), GP64()
	MOVQ(d.at(callInStep), d.inStep)
	MOVQ(d.at(callOutStep), d.outStep)
	weights, bias := GP64(), GP64()
	MOVQ(d.at(callWeights), weights)
	MOVQ(d.at(callBias), bias)

	Label("plane")
	group, groups := GP64(), GP64()
	MOVQ(d.at(callGroups), group)
	MOVQ(d.at(callGroupCount), groups)
	Label("group")
	strip, strips := GP64(), GP64()
	MOVQ(d.at(callStrips), strip)
	MOVQ(d.at(callStripCount), strips)
	Label("strip")
	d.in, d.out, d.valid = GP64(), GP64(), GP64()
	MOVQ(d.at(callIn), d.in)
	ADDQ(Mem{Base: group, Disp: rowsIn}, d.in)
	ADDQ(Mem{Base: strip, Disp: stripIn}, d.in)
	MOVQ(d.at(callOut), d.out)
	ADDQ(Mem{Base: group, Disp: rowsOut}, d.out)
	ADDQ(Mem{Base: strip, Disp: stripOut}, d.out)
	MOVQ(Mem{Base: group, Disp: rowsValid}, d.valid)
	d.sums = make([]Register, d.rows)
	for r := range d.sums {
		d.sums[r] = YMM()
		VBROADCASTSS(Mem{Base: bias}, d.sums[r])
	}
	CMPQ(d.valid, U32(1<<d.inRows()-1))
	JNE(LabelRef("some"))
	d.multiply(weights, strip, false)
	JMP(LabelRef("store"))
	Label("some")
	d.multiply(weights, strip, true)
	Label("store")
	d.store(group, strip)
	ADDQ(U32(stripSizeAVX2), strip)
	DECQ(strips)
	JNE(LabelRef("strip"))
	ADDQ(Imm(rowsSize), group)
	DECQ(groups)
	JNE(LabelRef("group"))
	DECQ(d.at(callPlanes))
	JE(LabelRef("done")) // the pointers stay inside of the slices
	d.nextPlane()
	ADDQ(d.at(callWeightsStep), weights)
	ADDQ(d.at(callBiasStep), bias)
	JMP(LabelRef("plane"))
	Label("done")
	VZEROUPPER()
	RET()
}

// inRows returns the number of rows of the input that a tile reads.
func (d *directAVX2) inRows() int { return (d.rows-1)*d.stride + d.kernel }

// multiply adds the products of a tile to the sums. If some is true, it skips the rows of the input
// that are not valid.
func (d *directAVX2) multiply(weights, strip Register, some bool) {
	for k := range d.kernel {
		masks := []Register{YMM(), YMM()}[:d.stride]
		for i, mask := range masks {
			VMOVUPS(Mem{Base: strip, Disp: stripMasksAVX2 + (k*d.stride+i)*lanesAVX2*4}, mask)
		}
		column := make([]Register, d.kernel)
		for ky := range column {
			column[ky] = YMM()
			VBROADCASTSS(Mem{Base: weights, Disp: 4 * (ky*d.kernel + k)}, column[ky])
		}
		row := GP64()
		MOVQ(d.in, row)
		for i := range d.inRows() {
			skip := fmt.Sprintf("column%d_row%d", k, i)
			if some {
				BTQ(Imm(uint64(i)), d.valid)
				JCC(LabelRef(skip))
			}
			x := YMM()
			VMASKMOVPS(Mem{Base: row}, masks[0], x)
			if d.stride == 2 {
				// This takes every second element, in an order that store corrects.
				high := YMM()
				VMASKMOVPS(Mem{Base: row, Disp: 4 * lanesAVX2}, masks[1], high)
				VSHUFPS(Imm(0x88), high, x, x)
			}
			for r, s := range d.sums {
				if ky := i - r*d.stride; ky >= 0 && ky < d.kernel {
					VFMADD231PS(column[ky], x, s)
				}
			}
			if some {
				Label(skip)
			}
			if i < d.inRows()-1 {
				ADDQ(d.inStep, row)
			}
		}
		if k < d.kernel-1 {
			ADDQ(d.at(callColumnStep), d.in)
		}
	}
}

// store clamps the sums and writes the tile.
func (d *directAVX2) store(group, strip Register) {
	if d.stride == 2 {
		for _, s := range d.sums {
			VPERMPD(Imm(0xd8), s, s)
		}
	}
	CMPL(d.at(callClamp), Imm(0))
	JE(LabelRef("clamped"))
	bound := YMM()
	VBROADCASTSS(d.at(callLo), bound)
	for _, s := range d.sums {
		VMAXPS(bound, s, s)
	}
	VBROADCASTSS(d.at(callHi), bound)
	for _, s := range d.sums {
		VMINPS(bound, s, s)
	}
	Label("clamped")
	stored, columns := GP64(), GP64()
	MOVQ(Mem{Base: group, Disp: rowsStored}, stored)
	MOVQ(Mem{Base: strip, Disp: stripColumnsAVX2}, columns)
	CMPQ(columns, Imm(lanesAVX2))
	JNE(LabelRef("part"))
	for r, s := range d.sums {
		if r > 0 {
			ADDQ(d.outStep, d.out)
			BTQ(Imm(uint64(r)), stored)
			JCC(LabelRef("stored"))
		}
		VMOVUPS(s, Mem{Base: d.out})
	}
	JMP(LabelRef("stored"))
	Label("part")
	for r, s := range d.sums {
		if r > 0 {
			ADDQ(d.outStep, d.out)
			BTQ(Imm(uint64(r)), stored)
			JCC(LabelRef("stored"))
		}
		d.storePart(r, s, columns)
	}
	Label("stored")
}

// storePart writes fewer than 8 elements of row r. It avoids masked stores, which are slow on many
// processors.
func (d *directAVX2) storePart(r int, s, columns Register) {
	to := GP64()
	MOVQ(d.out, to)
	rest := s.(Vec).AsX()
	for _, n := range []int{4, 2, 1} {
		label := fmt.Sprintf("row%d_%d", r, n)
		TESTQ(U32(n), columns)
		JE(LabelRef(label))
		switch n {
		case 4:
			VMOVUPS(rest, Mem{Base: to})
			VEXTRACTF128(Imm(1), s, rest)
		case 2:
			VMOVLPS(rest, Mem{Base: to})
			VMOVHLPS(rest, rest, rest)
		case 1:
			VMOVSS(rest, Mem{Base: to})
		}
		if n > 1 {
			ADDQ(Imm(uint64(4*n)), to)
		}
		Label(label)
	}
}
