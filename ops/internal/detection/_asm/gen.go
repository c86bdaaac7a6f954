// Command gen writes the assembly of package detection.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	(&overlaps{lanes: 16}).generate("overlapAVX512", "AVX-512")
	(&overlaps{lanes: 8}).generate("overlapAVX2", "AVX2")
	above()
	Generate()
}

// The fields of Box.
const (
	x1, y1, x2, y2, area = 0, 1, 2, 3, 4
	boxes                = 64
)

// overlaps generates a function that compares one box with 64 others.
type overlaps struct {
	lanes       int
	box         [5]VecVirtual
	extent, low VecVirtual
	zero        VecVirtual

	sides, stride, last Register // last is the address of y2
}

// vector returns a register for all lanes.
func (o *overlaps) vector() VecVirtual {
	if o.lanes == 16 {
		return ZMM()
	}
	return YMM()
}

func (o *overlaps) generate(name, needs string) {
	TEXT(name, NOSPLIT, "func(box, sides *float32, stride int, extent, above float32) uint64")
	Pragma("noescape")
	Doc(
		name+" returns the set of 64 boxes whose IoU with box is above a limit, which must not be negative. box is a",
		"Box. sides has the five fields of the other boxes, one field of all after the other, stride bytes apart. It",
		"needs "+needs+".",
	)
	box := Load(Param("box"), GP64())
	o.sides, o.stride = Load(Param("sides"), GP64()), Load(Param("stride"), GP64())
	o.last = GP64()
	LEAQ(Mem{Base: o.sides, Index: o.stride, Scale: 2}, o.last)
	ADDQ(o.stride, o.last)
	for i := range o.box {
		o.box[i] = o.vector()
		VBROADCASTSS(Mem{Base: box, Disp: 4 * i}, o.box[i])
	}
	o.extent, o.low, o.zero = o.vector(), o.vector(), o.vector()
	o.broadcast("extent", o.extent)
	o.broadcast("above", o.low)
	if o.lanes == 16 {
		VPXORD(o.zero, o.zero, o.zero)
		masks := []Register{K1, K2, K3, K4}
		for i, k := range masks {
			o.compareMasks(i*o.lanes, k)
		}
		KUNPCKWD(K1, K2, K2) // the second operand has the low half
		KUNPCKWD(K3, K4, K4)
		KUNPCKDQ(K2, K4, K4)
		set := GP64()
		KMOVQ(K4, set)
		Store(set, ReturnIndex(0))
	} else {
		VXORPS(o.zero, o.zero, o.zero)
		set := GP64()
		XORQ(set, set)
		for i := boxes/o.lanes - 1; i >= 0; i-- {
			some := GP32()
			VMOVMSKPS(o.compare(i*o.lanes), some)
			SHLQ(Imm(uint64(o.lanes)), set)
			ORQ(some.As64(), set)
		}
		Store(set, ReturnIndex(0))
	}
	VZEROUPPER()
	RET()
}

// broadcast loads a parameter into all lanes.
func (o *overlaps) broadcast(name string, to VecVirtual) {
	address, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSS(address.Addr, to)
}

// side returns the address of a field of boxes first on.
func (o *overlaps) side(field, first int) Mem {
	m := Mem{Base: o.sides, Index: o.stride, Scale: 1, Disp: 4 * first}
	switch field {
	case x1:
		m.Index, m.Scale = nil, 0
	case x2:
		m.Scale = 2
	case y2:
		m.Base, m.Index, m.Scale = o.last, nil, 0
	case area:
		m.Scale = 4
	}
	return m
}

// length computes the length of the intersection along an axis, of boxes first on.
func (o *overlaps) length(from, to, first int) VecVirtual {
	end, start := o.vector(), o.vector()
	VMINPS(o.side(to, first), o.box[to], end)
	VMAXPS(o.side(from, first), o.box[from], start)
	VSUBPS(start, end, end)
	VADDPS(o.extent, end, end)
	return end
}

// iou computes the IoU of boxes first on, which counts only if both lengths are above 0.
func (o *overlaps) iou(first int) (w, h, iou VecVirtual) {
	w, h = o.length(x1, x2, first), o.length(y1, y2, first)
	common, all := o.vector(), o.vector()
	VMULPS(h, w, common)
	VADDPS(o.side(area, first), o.box[area], all)
	VSUBPS(common, all, all)
	VDIVPS(all, common, common)
	return w, h, common
}

// greater is the predicate of comparisons that are false for NaN.
var greater = Imm(0x1e)

// compareMasks sets k to the set of boxes first on whose IoU is above the limit.
func (o *overlaps) compareMasks(first int, k Register) {
	w, h, iou := o.iou(first)
	VCMPPS(greater, o.zero, w, k)
	VCMPPS(greater, o.zero, h, k, k)
	VCMPPS(greater, o.low, iou, k, k)
}

// compare is compareMasks for AVX2, whose masks are vectors.
func (o *overlaps) compare(first int) VecVirtual {
	w, h, iou := o.iou(first)
	VCMPPS(greater, o.zero, w, w)
	VCMPPS(greater, o.zero, h, h)
	VCMPPS(greater, o.low, iou, iou)
	VANDPS(w, h, h)
	VANDPS(h, iou, iou)
	return iou
}

// above generates the function that lists the scores above a threshold.
func above() {
	TEXT("aboveAVX512", NOSPLIT, "func(dst *byte, scores *float32, n int, first int32, threshold float32) int")
	Pragma("noescape")
	Doc(
		"aboveAVX512 writes a Candidate[float32] to dst for each of n scores above threshold, and returns their number.",
		"first is the Index of the first score. n must be a positive multiple of 16, and dst have room for n candidates.",
		"It needs AVX-512.",
	)
	dst, scores, n := Load(Param("dst"), GP64()), Load(Param("scores"), GP64()), Load(Param("n"), GP64()).(GPVirtual)
	first := Load(Param("first"), GP32())
	const lanes = 16
	number := GP32()
	indices, step, limit, low, high := ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
	VPBROADCASTD(first, indices)
	VPADDD(numbers("ramp", func(i int) int { return i }), indices, indices)
	MOVL(U32(lanes), number)
	VPBROADCASTD(number, step)
	address, err := Param("threshold").Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSS(address.Addr, limit)
	// Lane i of the first eight candidates comes from the scores if it is even, else from the
	// indices.
	VMOVDQU32(numbers("low", func(i int) int { return i/2 + i%2*lanes }), low)
	VMOVDQU32(numbers("high", func(i int) int { return lanes/2 + i/2 + i%2*lanes }), high)
	start := GP64()
	MOVQ(dst, start)
	Label("loop")
	score, some, pairs, found := ZMM(), ZMM(), ZMM(), GP64()
	VMOVUPS(Mem{Base: scores}, score)
	VCMPPS(greater, limit, score, K1)
	VCOMPRESSPS_Z(score, K1, score)
	VPCOMPRESSD_Z(indices, K1, some)
	VMOVDQA32(score, pairs)
	VPERMT2D(some, low, pairs)
	VMOVDQU32(pairs, Mem{Base: dst})
	VPERMT2D(some, high, score)
	VMOVDQU32(score, Mem{Base: dst, Disp: 64})
	KMOVW(K1, found.As32())
	POPCNTL(found.As32(), found.As32())
	LEAQ(Mem{Base: dst, Index: found, Scale: 8}, dst)
	VPADDD(step, indices, indices)
	ADDQ(Imm(4*lanes), scores)
	SUBQ(Imm(lanes), n)
	JNE(LabelRef("loop"))
	SUBQ(start, dst)
	SHRQ(Imm(3), dst)
	Store(dst, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// numbers returns the address of a vector of sixteen numbers.
func numbers(name string, number func(i int) int) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i := range 16 {
		DATA(4*i, U32(uint32(number(i))))
	}
	return m
}
