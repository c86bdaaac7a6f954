package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// input generates a function that transforms the input of neighbouring tiles, at most one for each
// lane, for one channel after another.
//
// First it transforms the columns, in vectors of neighbouring input elements, and stores the
// results in temporary rows. Then it splits the elements of these rows by their position in a tile,
// so that a lane is a tile, and transforms the rows.
type input struct {
	vectors
	tile int // outputs of a tile along an axis

	constants []Register
	low, high Register // the lanes that split takes
}

// The layout of inputCall in winograd_amd64.go.
const (
	inBases, inOffsets, inSteps, inCount = 0, 48, 96, 144
	inV, inStepC, inStepE                = 152, 160, 168
	inTemporary, inConstants             = 176, 184
	inMasks, inStored, inPlane           = 192, 202, 208
	inMasksAVX2                          = 216
)

func (t *input) generate() {
	name := fmt.Sprintf("input%d%s", t.tile, t.name)
	TEXT(name, NOSPLIT, "func(call *byte)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s transforms the input of up to %d tiles of %d by %d outputs.", name, t.lanes, t.tile, t.tile),
		"call is a inputCall.",
	)
	n := t.tile + 2
	call := Load(Param("call"), GP64())
	rows := make([]Register, n)
	for i := range rows {
		rows[i] = GP64()
		MOVQ(Mem{Base: call, Disp: inBases + 8*i}, rows[i])
		ADDQ(Mem{Base: call, Disp: inOffsets + 8*i}, rows[i])
	}
	temporary, step, step3, step5, v := GP64(), GP64(), GP64(), GP64(), GP64()
	MOVQ(Mem{Base: call, Disp: inTemporary}, temporary)
	MOVQ(Mem{Base: call, Disp: inStepE}, step)
	LEAQ(Mem{Base: step, Index: step, Scale: 2}, step3)
	LEAQ(Mem{Base: step, Index: step, Scale: 4}, step5)
	if t.tile == 4 {
		MOVQ(Mem{Base: call, Disp: inConstants}, v)
		t.constants = t.broadcast(v, 6)
	}
	t.loadLanes()
	plane := GP64()
	MOVQ(Mem{Base: call, Disp: inPlane}, plane)
	masks := make([]Op, t.tile+1)
	if t.evex {
		for i := range masks {
			masks[i] = K()
			KMOVW(Mem{Base: call, Disp: inMasks + 2*i}, masks[i])
		}
	}
	stored := K()
	if t.evex {
		KMOVW(Mem{Base: call, Disp: inStored}, stored)
	}

	Label("channel")
	line := (t.tile + 1) * t.bytes()
	for j := range t.tile + 1 {
		d := make([]Register, n)
		mask := YMM() // of AVX2
		if !t.evex {
			VMOVUPS(Mem{Base: call, Disp: inMasksAVX2 + j*t.bytes()}, mask)
		}
		for i := range d {
			d[i] = t.new()
			if j == t.tile { // two elements are left
				d[i] = d[i].(Vec).AsX()
			}
			from := Mem{Base: rows[i], Disp: j * t.bytes()}
			if j < t.tile {
				// The hardware does not prefetch the next channel, which is too far away.
				PREFETCHT0(Mem{Base: rows[i], Index: plane, Scale: 1, Disp: j * t.bytes()})
			}
			switch {
			case t.evex:
				VMOVUPS_Z(from, masks[j], d[i])
			case j == t.tile:
				VMASKMOVPS(from, mask.AsX(), d[i])
			default:
				VMASKMOVPS(from, mask, d[i])
			}
		}
		for i, r := range t.transform(d, j == t.tile) {
			VMOVUPS(r, Mem{Base: temporary, Disp: i*line + j*t.bytes()})
		}
	}
	MOVQ(Mem{Base: call, Disp: inV}, v)
	for i := range n {
		places := []Mem{
			{Base: v}, {Base: v, Index: step, Scale: 1}, {Base: v, Index: step, Scale: 2},
			{Base: v, Index: step3, Scale: 1}, {Base: v, Index: step, Scale: 4}, {Base: v, Index: step5, Scale: 1},
		}
		for j, r := range t.transform(t.split(temporary, i*line), false) {
			if t.evex {
				VMOVUPS(r, stored, places[j])
			} else {
				VMOVUPS(r, places[j])
			}
		}
		LEAQ(Mem{Base: v, Index: step, Scale: 4}, v)
		if t.tile == 4 {
			LEAQ(Mem{Base: v, Index: step, Scale: 2}, v)
		}
	}
	for i := range rows {
		ADDQ(Mem{Base: call, Disp: inSteps + 8*i}, rows[i])
	}
	MOVQ(Mem{Base: call, Disp: inStepC}, v)
	ADDQ(v, Mem{Base: call, Disp: inV})
	DECQ(Mem{Base: call, Disp: inCount})
	JNE(LabelRef("channel"))
	VZEROUPPER()
	RET()
}

// loadLanes loads the indexes of the lanes that split takes.
func (t *input) loadLanes() {
	if t.lanes != 16 {
		return
	}
	name := fmt.Sprintf("lanes%d", t.tile)
	table := GLOBL(name, RODATA|NOPTR)
	for half := range 2 {
		for i := range 16 {
			lane := 2*i + half // every second element
			if t.tile == 4 {   // every fourth, and every fourth from the next on
				lane = 4*(i%8) + i/8 + 2*half
			}
			DATA(64*half+4*i, U32(uint32(lane)))
		}
	}
	t.low, t.high = ZMM(), ZMM()
	VMOVDQU32(table, t.low)
	VMOVDQU32(table.Offset(64), t.high)
}

// split returns a vector for each position in a tile, and for the first two positions of the next
// tile. It holds the elements of a temporary row at that position of all tiles.
func (t *input) split(temporary Register, at int) []Register {
	load := func(vector int) Register {
		r := t.new()
		VMOVUPS(Mem{Base: temporary, Disp: at + vector*t.bytes()}, r)
		return r
	}
	var p []Register
	switch {
	case t.lanes == 16 && t.tile == 2:
		a, c := load(0), load(1)
		b := t.new()
		VMOVAPS(a, b)
		VPERMT2PS(c, t.low, a)
		VPERMT2PS(c, t.high, b)
		p = []Register{a, b}
	case t.lanes == 16:
		a, b, c, d := load(0), load(1), load(2), load(3)
		a2, c2 := t.new(), t.new()
		VMOVAPS(a, a2)
		VMOVAPS(c, c2)
		VPERMT2PS(b, t.low, a)
		VPERMT2PS(d, t.low, c)
		VPERMT2PS(b, t.high, a2)
		VPERMT2PS(d, t.high, c2)
		for i := range 4 {
			x, y := a, c
			if i >= 2 {
				x, y = a2, c2
			}
			r := t.new()
			VSHUFF64X2(Imm([]uint64{0x44, 0xee}[i%2]), y, x, r)
			p = append(p, r)
		}
	case t.tile == 2:
		a, b := t.pair(temporary, at, 0, 8), t.pair(temporary, at, 4, 12)
		c := t.new()
		VSHUFPS(Imm(0xdd), b, a, c)
		VSHUFPS(Imm(0x88), b, a, a)
		p = []Register{a, c}
	default:
		var q [4]Register
		for i := range q {
			q[i] = t.pair(temporary, at, 4*i, 16+4*i)
		}
		p = t.transpose(q)
	}
	for i := range 2 {
		last := Mem{Base: temporary, Disp: at + t.tile*t.bytes() + 4*i}
		r := t.new()
		VBROADCASTSS(last, r)
		if t.lanes == 16 {
			VALIGND(Imm(1), p[i], r, r)
		} else {
			VPERM2F128(Imm(0x21), r, p[i], r)
			VPALIGNR(Imm(4), p[i], r, r)
		}
		p = append(p, r)
	}
	return p
}

// pair returns a vector of eight elements: four from element low on, and four from element high on.
func (t *input) pair(temporary Register, at, low, high int) Register {
	r := YMM()
	VBROADCASTF128(Mem{Base: temporary, Disp: at + 4*low}, r)
	VINSERTF128(Imm(1), Mem{Base: temporary, Disp: at + 4*high}, r, r)
	return r
}

// transpose transposes the 4 by 4 blocks of four vectors: each block consists of the same four
// lanes of all vectors.
func (v vectors) transpose(q [4]Register) []Register {
	r := make([]Register, 8)
	for i := range r {
		r[i] = v.new()
	}
	VUNPCKLPS(q[1], q[0], r[0])
	VUNPCKHPS(q[1], q[0], r[1])
	VUNPCKLPS(q[3], q[2], r[2])
	VUNPCKHPS(q[3], q[2], r[3])
	VUNPCKLPD(r[2], r[0], r[4])
	VUNPCKHPD(r[2], r[0], r[5])
	VUNPCKLPD(r[3], r[1], r[6])
	VUNPCKHPD(r[3], r[1], r[7])
	return r[4:]
}

// transform returns the input transform of d, as inputTile in winograd_transform.go. It overwrites
// d. If short is true, the vectors have four lanes.
func (t *input) transform(d []Register, short bool) []Register {
	as := func(r Register) Register {
		if short {
			return r.(Vec).AsX()
		}
		return r
	}
	r := func() Register { return as(t.new()) }
	if t.tile == 2 {
		e := []Register{r(), r(), r(), r()}
		VSUBPS(d[0], d[2], e[0])
		VADDPS(d[1], d[2], e[1])
		VSUBPS(d[1], d[2], e[2])
		VSUBPS(d[1], d[3], e[3])
		return e
	}
	a, b := as(t.constants[0]), as(t.constants[1])
	aa, bb := as(t.constants[2]), as(t.constants[3])
	sum, product := as(t.constants[4]), as(t.constants[5])
	VMULPS(product, d[0], d[0])
	VFNMADD231PS(sum, d[2], d[0])
	VADDPS(d[4], d[0], d[0])
	VFNMADD231PS(sum, d[3], d[5])
	VFMADD231PS(product, d[1], d[5])
	even, odd := r(), r()
	VMOVAPS(d[4], even)
	VFNMADD231PS(bb, d[2], even)
	VMOVAPS(d[3], odd)
	VFNMADD231PS(bb, d[1], odd)
	VFNMADD231PS(aa, d[2], d[4])
	VFNMADD231PS(aa, d[1], d[3])
	VMOVAPS(even, d[1])
	VFMADD231PS(a, odd, d[1])
	VFNMADD231PS(a, odd, even)
	VMOVAPS(d[4], d[2])
	VFMADD231PS(b, d[3], d[2])
	VFNMADD231PS(b, d[3], d[4])
	return []Register{d[0], d[1], even, d[2], d[4], d[5]}
}
