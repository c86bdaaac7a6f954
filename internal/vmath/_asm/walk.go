package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// masks are the words that AVX2 takes for the lanes of a part: 8 that are set, and 8
// that are not.
var masks Mem

// tail returns the lanes of the elements of n that are behind the last whole vector:
// what step of walk gets as part.
func (m *machine) tail(n Register) Op {
	rest := GP64()
	MOVQ(n, rest)
	ANDQ(U8(uint8(m.lanes()-1)), rest)
	if m.wide {
		bits, part := GP64(), K()
		MOVQ(U32(1<<16-1), bits)
		BZHIQ(rest, bits, bits)
		KMOVW(bits.As32(), part)
		return part
	}
	if masks.Symbol.Name == "" {
		masks = GLOBL("masks", RODATA|NOPTR)
		for i := range 16 {
			DATA(4*i, U32(map[bool]uint32{true: 1<<32 - 1}[i < 8]))
		}
	}
	at, part := GP64(), YMM()
	LEAQ(masks.Offset(32), at)
	SHLQ(Imm(2), rest)
	SUBQ(rest, at)
	VMOVDQU(Mem{Base: at}, part)
	return part
}

// walk runs step over n elements, and changes n: ways vectors at a time, then one,
// and at last one of which only some lanes are there, those of tail; advance moves
// the pointers on.
func (m *machine) walk(n Register, ways int, tail func() Op, step func(part Op), advance func(count int)) {
	for _, loop := range []struct {
		label string
		ways  int
	}{{"many", ways}, {"vector", 1}} {
		count := loop.ways * m.lanes()
		Label(loop.label)
		CMPQ(n, U32(count))
		JL(LabelRef("after_" + loop.label))
		m.ways = loop.ways
		step(nil)
		advance(count)
		SUBQ(U32(count), n)
		JMP(LabelRef(loop.label))
		Label("after_" + loop.label)
	}
	TESTQ(n, n)
	JZ(LabelRef("done"))
	m.ways = 1
	step(tail())
	Label("done")
}

func end() {
	VZEROUPPER()
	RET()
}

// from reads the vectors of a step; the lanes that are not there are 0.
func (m *machine) from(base Register, part Op) value {
	return m.each(func(way int, z VecVirtual) {
		at := Mem{Base: base, Disp: 4 * m.lanes() * way}
		switch {
		case part == nil:
			VMOVUPS(at, z)
		case m.wide:
			VMOVUPS_Z(at, part, z)
		default:
			VMASKMOVPS(at, part, z)
		}
	})
}

// to writes the vectors of a step.
func (m *machine) to(base Register, part Op, x value) {
	for way := range m.ways {
		at := Mem{Base: base, Disp: 4 * m.lanes() * way}
		switch {
		case part == nil:
			VMOVUPS(x.of(way), at)
		case m.wide:
			VMOVUPS(x.of(way), part, at)
		default:
			VMASKMOVPS(x.of(way), part, at)
		}
	}
}

// broadcast reads one number for all lanes.
func (m *machine) broadcast(at Mem) value {
	v := m.vector()
	VBROADCASTSS(at, v)
	return value{v}
}
