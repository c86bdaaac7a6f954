package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// condition selects lanes, with a mask for each vector of a value: a mask register for
// AVX-512, a vector whose sign bits select the lanes for AVX2, a vector of ones and zeros for NEON.
type condition []Op

// The comparisons: predicates of VCMPPS. All are false if an operand is NaN.
const (
	equal    = 0x00
	less     = 0x01
	notEqual = 0x0c
	notLess  = 0x0d // greater or equal
	greater  = 0x0e
)

// compare selects the lanes for which the comparison of x and y is true.
func (m *machine) compare(x value, comparison uint8, y value) condition {
	if m.neon != nil {
		return m.neonCompare(x, comparison, y)
	}
	x = m.inRegister(x)
	if m.counts != nil {
		return nil
	}
	c := make(condition, m.ways)
	for way := range c {
		if m.wide {
			c[way] = K()
		} else {
			c[way] = YMM()
		}
		VCMPPS(Imm(uint64(comparison)), y.of(way), x.of(way), c[way])
	}
	return c
}

// isNegative selects the lanes whose sign bit is set.
func (m *machine) isNegative(x value) condition {
	if m.neon != nil {
		return condition(m.perNEON("cmlt0", x))
	}
	if !m.wide || m.counts != nil {
		return condition(x)
	}
	c := make(condition, m.ways)
	for way := range c {
		k := K()
		VPMOVD2M(x.of(way), k)
		c[way] = k
	}
	return c
}

// pick returns the lanes that c selects from yes, and the other lanes from no.
func (m *machine) pick(c condition, yes, no value) value {
	if m.neon != nil {
		return m.neonPick(c, yes, no)
	}
	no = m.inRegister(no)
	return m.perVector(func(way int, z VecVirtual) {
		if m.wide {
			VBLENDMPS(yes.of(way), no.of(way), c[way], z)
		} else {
			VBLENDVPS(c[way], yes.of(way), no.of(way), z)
		}
	})
}
