package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// isa is an instruction set: how many lanes its vectors have, and what its
// instructions for some of the lanes are.
type isa struct {
	name  string
	lanes int
}

var avx2, avx512 = &isa{"AVX2", 8}, &isa{"AVX512", 16}

func (s *isa) wide() bool { return s == avx512 }

func (s *isa) vector() VecVirtual {
	if s.wide() {
		return ZMM()
	}
	return YMM()
}

func (s *isa) and(m Mem, v Register) {
	if s.wide() {
		VPANDD(m, v, v)
	} else {
		VANDPS(m, v, v)
	}
}

func (s *isa) clear(v Register) {
	if s.wide() {
		VPXORD(v, v, v)
	} else {
		VXORPS(v, v, v)
	}
}

// mask is the first of the lanes: a mask register, or a vector of sign bits.
type mask struct{ r Register }

// firstTable has as many ones as AVX2 has lanes, then zeros.
var firstTable *Mem

// first sets m to the lowest count of all lanes, of which there are no more.
func (s *isa) first(m mask, count Register) {
	if s.wide() {
		bits := GP64()
		MOVQ(I32(-1), bits)
		BZHIQ(count, bits, bits)
		KMOVW(bits.(GPVirtual).As32(), m.r)
		return
	}
	if firstTable == nil {
		t := table("first", func(i int) uint32 {
			if i < 8 {
				return 1<<32 - 1
			}
			return 0
		}, 16)
		firstTable = &t
	}
	base, at := GP64(), GP64()
	LEAQ(firstTable.Offset(32), base)
	MOVQ(count, at)
	NEGQ(at)
	VMOVUPS(Mem{Base: base, Index: at, Scale: 4}, m.r)
}

func (s *isa) mask() mask {
	if s.wide() {
		return mask{K()}
	}
	return mask{YMM()}
}

// load reads the lanes of m, or all where it has none; the others become 0.
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

// seen collects whether vectors held NaN.
type seen struct {
	set *isa
	r   Register
}

func (s *isa) newSeen() *seen {
	n := &seen{set: s}
	if s.wide() {
		n.r = K()
		KXORW(n.r, n.r, n.r)
	} else {
		n.r = YMM()
		s.clear(n.r)
	}
	return n
}

const unordered = 3

func (n *seen) look(v Register) {
	if n.set.wide() {
		k := K()
		VCMPPS(Imm(unordered), v, v, k)
		KORW(k, n.r, n.r)
		return
	}
	t := YMM()
	VCMPPS(Imm(unordered), v, v, t)
	VORPS(t, n.r, n.r)
}

// bits returns them as bits of a register.
func (n *seen) bits() GPVirtual {
	r := GP64()
	if n.set.wide() {
		KMOVW(n.r, r.As32())
	} else {
		VMOVMSKPS(n.r, r.As32())
	}
	return r
}
