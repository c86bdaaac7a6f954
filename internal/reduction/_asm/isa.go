package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// isa is an instruction set. Its methods hide how AVX2 and AVX-512 differ, above all in
// masked loads and stores.
type isa struct {
	name  string
	lanes int // float32 lanes of a vector
}

var avx2, avx512 = &isa{"AVX2", 8}, &isa{"AVX512", 16}

// wide reports whether s has vectors of 16 lanes and mask registers.
func (s *isa) wide() bool { return s == avx512 }

// vector allocates a vector register.
func (s *isa) vector() VecVirtual {
	if s.wide() {
		return ZMM()
	}
	return YMM()
}

// and sets v to v & m.
func (s *isa) and(m Mem, v Register) {
	if s.wide() {
		VPANDD(m, v, v)
	} else {
		VANDPS(m, v, v)
	}
}

// clear sets v to 0.
func (s *isa) clear(v Register) {
	if s.wide() {
		VPXORD(v, v, v)
	} else {
		VXORPS(v, v, v)
	}
}

// mask selects the first lanes of a vector. r is a mask register for AVX-512, a vector
// whose sign bits select the lanes for AVX2, and nil for all lanes.
type mask struct{ r Register }

// maskTable holds 8 words of ones, then 8 zeros. Eight words of it, from a suitable
// start, are a mask for AVX2.
var maskTable *Mem

// firstLanes sets m to the first count lanes. count is at most s.lanes.
func (s *isa) firstLanes(m mask, count Register) {
	if s.wide() {
		bits := GP64()
		MOVQ(I32(-1), bits)
		BZHIQ(count, bits, bits)
		KMOVW(bits.(GPVirtual).As32(), m.r)
		return
	}
	if maskTable == nil {
		t := table("mask", func(i int) uint32 {
			if i < 8 {
				return 1<<32 - 1
			}
			return 0
		}, 16)
		maskTable = &t
	}
	base, at := GP64(), GP64()
	LEAQ(maskTable.Offset(32), base)
	MOVQ(count, at)
	NEGQ(at)
	VMOVUPS(Mem{Base: base, Index: at, Scale: 4}, m.r)
}

// mask allocates a register for a mask.
func (s *isa) mask() mask {
	if s.wide() {
		return mask{K()}
	}
	return mask{YMM()}
}

// load loads the lanes in m and sets the other lanes of v to 0.
func (s *isa) load(m mask, from Mem, v Register) {
	switch {
	case m.r == nil:
		VMOVUPS(from, v)
	case s.wide():
		VMOVUPS_Z(from, m.r, v)
	default:
		VMASKMOVPS(from, m.r, v)
	}
}

// store stores the lanes in m.
func (s *isa) store(m mask, v Register, to Mem) {
	switch {
	case m.r == nil:
		VMOVUPS(v, to)
	case s.wide():
		VMOVUPS(v, m.r, to)
	default:
		VMASKMOVPS(v, m.r, to)
	}
}

// nanCheck accumulates which lanes have held a NaN.
type nanCheck struct {
	set *isa
	r   Register
}

// newNaNCheck allocates and clears the accumulator of a nanCheck.
func (s *isa) newNaNCheck() *nanCheck {
	n := &nanCheck{set: s}
	if s.wide() {
		n.r = K()
		KXORW(n.r, n.r, n.r)
	} else {
		n.r = YMM()
		s.clear(n.r)
	}
	return n
}

// unordered is the predicate of VCMPPS that is true if an operand is NaN.
const unordered = 3

// add adds the lanes of v and of w that are NaN.
func (n *nanCheck) add(v, w Register) {
	if n.set.wide() {
		k := K()
		VCMPPS(Imm(unordered), v, w, k)
		KORW(k, n.r, n.r)
		return
	}
	t := YMM()
	VCMPPS(Imm(unordered), v, w, t)
	VORPS(t, n.r, n.r)
}

// bits returns a register with a bit for each lane. It is 0 if there was no NaN.
func (n *nanCheck) bits() GPVirtual {
	r := GP64()
	if n.set.wide() {
		KMOVW(n.r, r.As32())
	} else {
		VMOVMSKPS(n.r, r.As32())
	}
	return r
}
