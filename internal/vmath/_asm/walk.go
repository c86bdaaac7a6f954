package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// widened returns the machine for numbers of 64 bits, and x as such: the lower halves
// of the ways, and then the upper ones.
func (m *machine) widened(x value) (*machine, value) {
	d := &machine{wide: m.wide, double: true, ways: 2 * m.ways, counts: m.counts}
	if m.counts != nil {
		return d, nil
	}
	halves := m.each(func(way int, z VecVirtual) {
		if v := x.of(way).(VecVirtual); m.wide {
			VCVTPS2PD(v.AsY(), z)
		} else {
			VCVTPS2PD(v.AsX(), z)
		}
	})
	return d, append(halves, m.each(func(way int, z VecVirtual) {
		if m.wide {
			upper := YMM()
			VEXTRACTF64X4(Imm(1), x.of(way), upper)
			VCVTPS2PD(upper, z)
		} else {
			upper := XMM()
			VEXTRACTF128(Imm(1), x.of(way), upper)
			VCVTPS2PD(upper, z)
		}
	})...)
}

// narrowed returns x of widened as numbers of 32 bits.
func (m *machine) narrowed(x value) value {
	return m.each(func(way int, z VecVirtual) {
		low, high := x[way], x[way+m.ways]
		VXORPS(z, z, z) // or else all of z would seem to be what it was before
		if upper := YMM(); m.wide {
			VCVTPD2PS(low, z.AsY())
			VCVTPD2PS(high, upper)
			VINSERTF64X4(Imm(1), upper, z, z)
		} else {
			VCVTPD2PSY(low, z.AsX())
			VCVTPD2PSY(high, upper.AsX())
			VINSERTF128(Imm(1), upper.AsX(), z, z)
		}
	})
}

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
	masks.at(1<<32 - 1)
	at, part := GP64(), YMM()
	LEAQ(masks.at(0), at) // behind the words that are set
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
		if loop.label == "many" && ways == 1 {
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
