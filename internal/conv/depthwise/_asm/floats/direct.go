package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// rows is the number of rows of a tile. planeKind.rows in direct_amd64.go has the same number.
const rows = 7

// direct generates a function that convolves planes tile by tile. A tile has several rows and one
// vector of 16 or 8 columns. Masks of the loads replace the padding at the sides by zeros. Rows of
// the input that are padding are skipped.
type direct struct {
	kernel, stride int
	even           Mem
	name           string

	call
	in, out, inStep, outStep, valid Register
	// addresses of the inputs of each column of the filter
	columns     []Mem
	weights     []VecVirtual // the first weights; the rest is read from memory
	weightsAt   Register
	sums        [rows]VecVirtual
	evens, odds VecVirtual
}

// The layout of planeCall, rowGroup and planeStrip in direct_amd64.go.
const (
	callOut, callIn, callWeights, callBias           = 0, 8, 16, 24
	callPlanes, callOutPlane, callInPlane            = 32, 40, 48
	callWeightsStep, callBiasStep                    = 56, 64
	callGroups, callGroupCount                       = 72, 80
	callStrips, callStripCount                       = 88, 96
	callInStep, callOutStep                          = 104, 112
	callColumnStep, callLo, callHi, callClamp        = 120, 128, 132, 136
	rowsIn, rowsOut, rowsValid, rowsStored, rowsSize = 0, 8, 16, 24, 32
	stripIn, stripOut, stripWide, stripMasks         = 0, 8, 16, 24
	stripStored, stripSize                           = stripMasks + 14, 40
)

func (d *direct) generate() {
	d.name = fmt.Sprintf("plane%ds%d", d.kernel, d.stride)
	TEXT(d.name, NOSPLIT, "func(call *byte)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s convolves planes with a filter of %d by %d and stride %d.", d.name, d.kernel, d.kernel, d.stride),
		"call is a planeCall. It needs AVX-512.",
	)
	d.call.call = Load(Param("call"), GP64())
	d.inStep, d.outStep, d.weightsAt = GP64(), GP64(), GP64()
	MOVQ(d.at(callInStep), d.inStep)
	MOVQ(d.at(callOutStep), d.outStep)
	MOVQ(d.at(callWeights), d.weightsAt)
	bias := GP64()
	MOVQ(d.at(callBias), bias)
	d.loadConstants()
	step := d.columnSteps()

	Label("plane")
	for i := range d.weights {
		VBROADCASTSS(Mem{Base: d.weightsAt, Disp: 4 * i}, d.weights[i])
	}
	group, groups := GP64(), GP64()
	MOVQ(d.at(callGroups), group)
	MOVQ(d.at(callGroupCount), groups)
	Label("group")
	strip, strips := GP64(), GP64()
	MOVQ(d.at(callStrips), strip)
	MOVQ(d.at(callStripCount), strips)
	Label("strip")
	d.in, d.out, d.valid = GP64(), GP64(), GP64()
	d.setColumns(step)
	MOVQ(d.at(callIn), d.in)
	ADDQ(Mem{Base: group, Disp: rowsIn}, d.in)
	ADDQ(Mem{Base: strip, Disp: stripIn}, d.in)
	MOVQ(d.at(callOut), d.out)
	ADDQ(Mem{Base: group, Disp: rowsOut}, d.out)
	ADDQ(Mem{Base: strip, Disp: stripOut}, d.out)
	MOVQ(Mem{Base: group, Disp: rowsValid}, d.valid)
	CMPQ(Mem{Base: strip, Disp: stripWide}, Imm(0))
	JE(LabelRef("narrow"))
	d.tile("wide", 16, bias, group, strip)
	JMP(LabelRef("next"))
	Label("narrow")
	d.tile("narrow", 8, bias, group, strip)
	Label("next")
	ADDQ(Imm(stripSize), strip)
	DECQ(strips)
	JNE(LabelRef("strip"))
	ADDQ(Imm(rowsSize), group)
	DECQ(groups)
	JNE(LabelRef("group"))
	DECQ(d.at(callPlanes))
	JE(LabelRef("done")) // the pointers stay inside of the slices
	d.nextPlane()
	ADDQ(d.at(callWeightsStep), d.weightsAt)
	ADDQ(d.at(callBiasStep), bias)
	JMP(LabelRef("plane"))
	Label("done")
	VZEROUPPER()
	RET()
}

// call is the argument of a function: a pointer to a planeCall.
type call struct{ call Register }

// at returns a field of the call.
func (c *call) at(field int) Mem { return Mem{Base: c.call, Disp: field} }

// nextPlane moves the pointers to the next planes of the input and the output.
func (c *call) nextPlane() {
	n := GP64()
	MOVQ(c.at(callInPlane), n)
	ADDQ(n, c.at(callIn))
	MOVQ(c.at(callOutPlane), n)
	ADDQ(n, c.at(callOut))
}

// loadConstants allocates the registers of the sums, and those of as many weights as there are free
// registers. For stride 2, it loads the lanes of the even and the odd elements.
func (d *direct) loadConstants() {
	free := 32 - rows - 2
	if d.stride == 2 {
		free -= 4
		d.evens, d.odds = ZMM(), ZMM()
		VMOVDQU32(d.even, d.evens)
		one := GP32()
		MOVL(U32(1), one)
		VPBROADCASTD(one, d.odds)
		VPADDD(d.evens, d.odds, d.odds)
	}
	d.weights = make([]VecVirtual, min(free, d.kernel*d.kernel))
	for i := range d.weights {
		d.weights[i] = ZMM()
	}
	for r := range d.sums {
		d.sums[r] = ZMM()
	}
}

// as returns the part of a register that has the given number of lanes, 16 or 8.
func as(v VecVirtual, lanes int) Register {
	if lanes == 8 {
		return v.AsY()
	}
	return v
}

// tile computes and writes a tile.
func (d *direct) tile(label string, lanes int, bias, group, strip Register) {
	VBROADCASTSS(Mem{Base: bias}, as(d.sums[0], lanes))
	for _, s := range d.sums[1:] {
		VMOVAPS(as(d.sums[0], lanes), as(s, lanes))
	}
	masks := make([]OpmaskVirtual, d.kernel)
	for i := range masks {
		masks[i] = K()
		KMOVW(Mem{Base: strip, Disp: stripMasks + 2*i}, masks[i])
	}
	for i := range (rows-1)*d.stride + d.kernel {
		skip := fmt.Sprintf("%s_row%d", label, i+1)
		BTQ(Imm(uint64(i)), d.valid)
		JCC(LabelRef(skip))
		if d.stride == 1 {
			d.row1(i, lanes, masks)
		} else {
			d.row2(i, lanes, masks)
		}
		Label(skip)
		ADDQ(d.inStep, d.in)
	}
	d.store(label, lanes, group, strip)
}

// columnSteps loads the distance between the inputs of neighbouring columns of the filter, and the
// multiples of it that an address cannot express as a scale.
func (d *direct) columnSteps() map[int]Register {
	if d.stride == 2 {
		return nil
	}
	step := map[int]Register{1: GP64()}
	MOVQ(d.at(callColumnStep), step[1])
	if d.kernel > 3 {
		step[3] = GP64()
		LEAQ(Mem{Base: step[1], Index: step[1], Scale: 2}, step[3])
	}
	if d.kernel > 5 {
		step[5] = GP64()
		LEAQ(Mem{Base: step[1], Index: step[1], Scale: 4}, step[5])
	}
	return step
}

// setColumns sets the addresses of the inputs of each column of the filter in a row.
func (d *direct) setColumns(step map[int]Register) {
	if d.stride == 2 {
		return
	}
	d.columns = []Mem{
		{Base: d.in}, {Base: d.in, Index: step[1], Scale: 1}, {Base: d.in, Index: step[1], Scale: 2},
		{Base: d.in, Index: step[3], Scale: 1}, {Base: d.in, Index: step[1], Scale: 4},
		{Base: d.in, Index: step[5], Scale: 1}, {Base: d.in, Index: step[3], Scale: 2},
	}
}

// row1 adds row i of the input to the sums.
func (d *direct) row1(i, lanes int, masks []OpmaskVirtual) {
	for k := range d.kernel {
		x := as(ZMM(), lanes)
		VMOVUPS_Z(d.columns[k], masks[k], x)
		d.multiply(i, k, lanes, x)
	}
}

// row2 adds row i of the input to the sums for stride 2: lane l needs element 2*l+k for column k of
// the filter. For columns 0 and 1, these are the even and the odd elements that are loaded. For any
// other column, they are those of column k-2 moved by one lane, with one more element at the end.
func (d *direct) row2(i, lanes int, masks []OpmaskVirtual) {
	even, odd := ZMM(), ZMM()
	if lanes == 16 {
		high := ZMM()
		VMOVUPS_Z(Mem{Base: d.in}, masks[0], even)
		VMOVUPS_Z(Mem{Base: d.in, Disp: 4 * lanes}, masks[1], high)
		VMOVAPS(even, odd)
		VPERMT2PS(high, d.odds, odd)
		VPERMT2PS(high, d.evens, even)
	} else {
		VMOVUPS_Z(Mem{Base: d.in}, masks[0], odd)
		VPERMPS(odd, d.evens, even)
		VPERMPS(odd, d.odds, odd)
	}
	x := [2]VecVirtual{even, odd}
	for k := range d.kernel {
		if k >= 2 {
			next := as(ZMM(), lanes)
			VBROADCASTSS_Z(Mem{Base: d.in, Disp: 4 * (2*lanes + k - 2)}, masks[k], next)
			VALIGND(Imm(1), as(x[k%2], lanes), next, as(x[k%2], lanes))
		}
		d.multiply(i, k, lanes, as(x[k%2], lanes))
	}
}

// multiply adds to the sums the products of x, which is from row i of the input, and column k of
// the filter.
func (d *direct) multiply(i, k, lanes int, x Op) {
	for r := range rows {
		ky := i - r*d.stride
		if ky < 0 || ky >= d.kernel {
			continue
		}
		w := ky*d.kernel + k
		if w < len(d.weights) {
			VFMADD231PS(as(d.weights[w], lanes), x, as(d.sums[r], lanes))
			continue
		}
		VFMADD231PS_BCST(Mem{Base: d.weightsAt, Disp: 4 * w}, x, as(d.sums[r], lanes))
	}
}

// store clamps the sums and writes the tile.
func (d *direct) store(label string, lanes int, group, strip Register) {
	CMPL(d.at(callClamp), Imm(0))
	JE(LabelRef(label + "_store"))
	lo, hi := as(ZMM(), lanes), as(ZMM(), lanes)
	VBROADCASTSS(d.at(callLo), lo)
	VBROADCASTSS(d.at(callHi), hi)
	for r := range d.sums {
		s := as(d.sums[r], lanes)
		VMAXPS(lo, s, s)
		VMINPS(hi, s, s)
	}
	Label(label + "_store")
	stored, mask := GP64(), K()
	MOVQ(Mem{Base: group, Disp: rowsStored}, stored)
	KMOVW(Mem{Base: strip, Disp: stripStored}, mask)
	for r := range d.sums {
		if r > 0 {
			ADDQ(d.outStep, d.out)
			BTQ(Imm(uint64(r)), stored)
			JCC(LabelRef(label + "_stored"))
		}
		VMOVUPS(as(d.sums[r], lanes), mask, Mem{Base: d.out})
	}
	Label(label + "_stored")
}
