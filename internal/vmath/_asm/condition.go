package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// condition is a mask for each way: a register of masks, or a vector of which the
// sign bits count.
type condition []Op

// The comparisons, of which all are false for NaN.
const (
	equal    = 0x00
	less     = 0x01
	notEqual = 0x0c
	notLess  = 0x0d // greater or equal
	greater  = 0x0e
)

func (m *machine) compare(x value, comparison uint8, y value) condition {
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

// isNegative is true where the sign bit of x is set.
func (m *machine) isNegative(x value) condition {
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

// pick returns yes where c, else no.
func (m *machine) pick(c condition, yes, no value) value {
	no = m.inRegister(no)
	return m.each(func(way int, z VecVirtual) {
		if m.wide {
			VBLENDMPS(yes.of(way), no.of(way), c[way], z)
		} else {
			VBLENDVPS(c[way], yes.of(way), no.of(way), z)
		}
	})
}
