package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// widened returns a machine for numbers of 64 bits, and x converted to 64 bits: first the
// lower halves of the vectors of x, then the upper halves.
func (m *machine) widened(x value) (*machine, value) {
	if m.neon != nil {
		return m.neonWidened(x)
	}
	d := &machine{wide: m.wide, double: true, ways: 2 * m.ways, counts: m.counts}
	if m.counts != nil {
		return d, nil
	}
	halves := m.perVector(func(way int, z VecVirtual) {
		if v := x.of(way).(VecVirtual); m.wide {
			VCVTPS2PD(v.AsY(), z)
		} else {
			VCVTPS2PD(v.AsX(), z)
		}
	})
	return d, append(halves, m.perVector(func(way int, z VecVirtual) {
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

// narrowed converts x, a value of the machine that widened returned, to 32 bits.
func (m *machine) narrowed(x value) value {
	if m.neon != nil {
		return m.neonNarrowed(x)
	}
	return m.perVector(func(way int, z VecVirtual) {
		low, high := x[way], x[way+m.ways]
		VXORPS(z, z, z) // or the register allocator would take z as read before it is written
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

// tail returns the mask of the elements after the last whole vector of a row of n elements,
// for step of walk.
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
	LEAQ(masks.at(0), at) // after the words of ones
	SHLQ(Imm(2), rest)
	SUBQ(rest, at)
	VMOVDQU(Mem{Base: at}, part)
	return part
}

// walk generates the loops over n elements: ways vectors at a time, then one vector at a
// time, and then the rest as one vector with the mask of tail. step generates the code for
// the vectors of a step; part is the mask, or nil for whole vectors. advance generates the
// code that adds count elements to the pointers. The code changes n.
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

// end generates the end of a function.
func end() {
	VZEROUPPER()
	RET()
}

// load returns the vectors of a step. Lanes that part does not select are 0.
func (m *machine) load(base Register, part Op) value {
	return m.perVector(func(way int, z VecVirtual) {
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

// store stores the vectors of a step.
func (m *machine) store(base Register, part Op, x value) {
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

// broadcast returns the number at an address in all lanes.
func (m *machine) broadcast(at Mem) value {
	v := m.vector()
	VBROADCASTSS(at, v)
	return value{v}
}
