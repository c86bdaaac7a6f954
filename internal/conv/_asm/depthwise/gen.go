// Command depthwise writes the depthwise convolutions of package conv.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	for _, k := range []int{3, 5, 7} {
		(&direct{kernel: k, stride: 1}).generate()
	}
	lanes := GLOBL("evenLanes", RODATA|NOPTR)
	for i := range 16 {
		DATA(4*i, U32(2*i))
	}
	for _, k := range []int{3, 5} {
		(&direct{kernel: k, stride: 2, even: lanes}).generate()
	}
	(&taps{name: "AVX2", lanes: 8, vector: YMM}).generate()
	(&taps{name: "AVX512", lanes: 16, vector: ZMM}).generate()
	Generate()
}

// rows is the number of rows of a tile, as tileRows in depthwise_amd64.go.
const rows = 7

// direct is a function that convolves a plane by tiles of rows by one vector, of 16
// or 8 lanes. Masks of the loads stand for the padding at the sides; rows of the
// input that are padding are jumped over.
type direct struct {
	kernel, stride int
	even           Mem
	name           string

	call, in, out, inStep, outStep, valid Register
	weights                               []VecVirtual // the others are read from memory
	weightsAt                             Register
	sums                                  [rows]VecVirtual
	evens, odds                           VecVirtual
}

// The layout of planeCall, planeRows and planeStrip in depthwise_amd64.go.
const (
	callOut, callIn, callWeights, callGroups, callGroupCount = 0, 8, 16, 24, 32
	callStrips, callStripCount, callInStep, callOutStep      = 40, 48, 56, 64
	callBias, callLo, callHi, callClamp                      = 72, 76, 80, 84
	rowsIn, rowsOut, rowsValid, rowsStored, rowsSize         = 0, 8, 16, 24, 32
	stripIn, stripOut, stripWide, stripMasks, stripSize      = 0, 8, 16, 24, 40
	stripStored                                              = stripMasks + 14
)

func (d *direct) generate() {
	d.name = fmt.Sprintf("plane%ds%d", d.kernel, d.stride)
	TEXT(d.name, NOSPLIT, "func(call *byte)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s convolves a plane with a filter of %d by %d and stride %d.", d.name, d.kernel, d.kernel, d.stride),
		"call is a planeCall. It needs AVX-512.",
	)
	d.call = Load(Param("call"), GP64())
	d.inStep, d.outStep, d.weightsAt = GP64(), GP64(), GP64()
	MOVQ(Mem{Base: d.call, Disp: callInStep}, d.inStep)
	MOVQ(Mem{Base: d.call, Disp: callOutStep}, d.outStep)
	MOVQ(Mem{Base: d.call, Disp: callWeights}, d.weightsAt)
	d.loadConstants()

	group, groups := GP64(), GP64()
	MOVQ(Mem{Base: d.call, Disp: callGroups}, group)
	MOVQ(Mem{Base: d.call, Disp: callGroupCount}, groups)
	Label("group")
	strip, strips := GP64(), GP64()
	MOVQ(Mem{Base: d.call, Disp: callStrips}, strip)
	MOVQ(Mem{Base: d.call, Disp: callStripCount}, strips)
	Label("strip")
	d.in, d.out, d.valid = GP64(), GP64(), GP64()
	MOVQ(Mem{Base: d.call, Disp: callIn}, d.in)
	ADDQ(Mem{Base: group, Disp: rowsIn}, d.in)
	ADDQ(Mem{Base: strip, Disp: stripIn}, d.in)
	MOVQ(Mem{Base: d.call, Disp: callOut}, d.out)
	ADDQ(Mem{Base: group, Disp: rowsOut}, d.out)
	ADDQ(Mem{Base: strip, Disp: stripOut}, d.out)
	MOVQ(Mem{Base: group, Disp: rowsValid}, d.valid)
	CMPQ(Mem{Base: strip, Disp: stripWide}, Imm(0))
	JE(LabelRef("narrow"))
	d.tile("wide", 16, group, strip)
	JMP(LabelRef("next"))
	Label("narrow")
	d.tile("narrow", 8, group, strip)
	Label("next")
	ADDQ(Imm(stripSize), strip)
	DECQ(strips)
	JNE(LabelRef("strip"))
	ADDQ(Imm(rowsSize), group)
	DECQ(groups)
	JNE(LabelRef("group"))
	VZEROUPPER()
	RET()
}

// loadConstants keeps what has a register to itself: the weights, as many as there
// are registers for, and the lanes of even and odd elements.
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
		VBROADCASTSS(Mem{Base: d.weightsAt, Disp: 4 * i}, d.weights[i])
	}
	for r := range d.sums {
		d.sums[r] = ZMM()
	}
}

// as returns the part of a register that is of so many lanes.
func as(v VecVirtual, lanes int) Register {
	if lanes == 8 {
		return v.AsY()
	}
	return v
}

func (d *direct) tile(label string, lanes int, group, strip Register) {
	for r := range d.sums {
		VBROADCASTSS(Mem{Base: d.call, Disp: callBias}, as(d.sums[r], lanes))
	}
	masks := make([]OpmaskVirtual, d.loads())
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

// loads is the number of loads of a row, each of which has its mask.
func (d *direct) loads() int {
	if d.stride == 1 {
		return d.kernel
	}
	return (d.kernel + 1) / 2 * 2
}

// row1 adds row i of the input to the sums.
func (d *direct) row1(i, lanes int, masks []OpmaskVirtual) {
	for k := range d.kernel {
		x := as(ZMM(), lanes)
		VMOVUPS_Z(Mem{Base: d.in, Disp: 4 * k}, masks[k], x)
		d.multiply(i, k, lanes, x)
	}
}

// row2 adds row i of the input to the sums: elements 2*lane+k meet element k of the
// filter.
func (d *direct) row2(i, lanes int, masks []OpmaskVirtual) {
	for k := 0; k < d.kernel; k += 2 {
		low, high := as(ZMM(), lanes), as(ZMM(), lanes)
		VMOVUPS_Z(Mem{Base: d.in, Disp: 4 * k}, masks[k], low)
		VMOVUPS_Z(Mem{Base: d.in, Disp: 4 * (k + lanes)}, masks[k+1], high)
		if k+1 < d.kernel {
			odd := as(ZMM(), lanes)
			VMOVAPS(low, odd)
			VPERMT2PS(high, as(d.odds, lanes), odd)
			VPERMT2PS(high, as(d.evens, lanes), low)
			d.multiply(i, k, lanes, low)
			d.multiply(i, k+1, lanes, odd)
			continue
		}
		VPERMT2PS(high, as(d.evens, lanes), low)
		d.multiply(i, k, lanes, low)
	}
}

// multiply adds x, of row i of the input, times column k of the filter.
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

func (d *direct) store(label string, lanes int, group, strip Register) {
	CMPL(Mem{Base: d.call, Disp: callClamp}, Imm(0))
	JE(LabelRef(label + "_store"))
	lo, hi := as(ZMM(), lanes), as(ZMM(), lanes)
	VBROADCASTSS(Mem{Base: d.call, Disp: callLo}, lo)
	VBROADCASTSS(Mem{Base: d.call, Disp: callHi}, hi)
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
