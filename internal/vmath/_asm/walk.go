package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// masks are the words that AVX2 takes for the lanes of a part: 8 that are set, and 8
// that are not.
var masks Mem

func mask(n Register) VecVirtual {
	if masks.Symbol.Name == "" {
		masks = GLOBL("masks", RODATA|NOPTR)
		for i := range 16 {
			DATA(4*i, U32(map[bool]uint32{true: 1<<32 - 1}[i < 8]))
		}
	}
	at, v := GP64(), YMM()
	LEAQ(masks.Offset(32), at)
	offset := GP64()
	MOVQ(n, offset)
	SHLQ(Imm(2), offset)
	SUBQ(offset, at)
	VMOVDQU(Mem{Base: at}, v)
	return v
}

// walk runs step over n elements: ways vectors at a time, then one, and at last one
// of which only some lanes are there, part; advance moves the pointers on.
func (m *machine) walk(n Register, ways int, step func(part Op), advance func(count int)) {
	for _, loop := range []struct {
		label string
		ways  int
	}{{"many", ways}, {"vector", 1}} {
		if loop.label == "vector" && ways == 1 {
			continue
		}
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
	if m.wide {
		bits, part := GP64(), K()
		MOVQ(U32(1<<16-1), bits)
		BZHIQ(n, bits, bits)
		KMOVW(bits.As32(), part)
		step(part)
	} else {
		step(mask(n))
	}
	Label("done")
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
