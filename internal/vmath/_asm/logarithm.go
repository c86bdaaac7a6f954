package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// log returns ln(x). With x = 2^n * (1+f), f between -1/4 and 1/2, it is n*ln(2) plus f - f*f/2
// plus f^3 times a polynomial of f.
func (m *machine) log(x value) value {
	n, mantissa := m.frexp(x)
	f := m.sub(mantissa, m.number(1))
	square := m.mul(f, f)
	y := m.polynomial(f, []float64{
		-4.5074782578e-02, 1.0463020706e-01, -1.3161193715e-01, 1.4478395296e-01, -1.6647312188e-01, 1.9990861206e-01, -2.5000095841e-01, 3.3333449113e-01,
	})
	y = m.mul(m.mul(y, f), square)
	// ln(2) is the sum of two positive parts. The high part has few bits, so that its product
	// with n is exact. The greatest term is added last.
	const high = 0.693145751953125
	m.addProduct(y, n, m.number(math.Ln2-high))
	m.subProduct(y, square, m.number(0.5))
	y = m.add(y, f)
	m.addProduct(y, n, m.number(high))
	if m.wide {
		// frexp has returned an infinite n for 0 and infinity, and a NaN mantissa for x < 0
		return y
	}
	y = m.pick(m.compare(x, less, m.number(math.Inf(1))), y, x)
	below := m.pick(m.compare(x, equal, m.number(0)), m.number(math.Inf(-1)), m.number(math.NaN()))
	return m.pick(m.compare(x, greater, m.number(0)), y, below)
}

// frexp returns n and a mantissa from 3/4 to 3/2 such that x = mantissa * 2^n.
func (m *machine) frexp(x value) (n, mantissa value) {
	if m.wide {
		// The immediate selects the interval from 3/4 to 3/2, and NaN for negative numbers.
		mantissa = m.perVector(func(way int, z VecVirtual) { VGETMANTPS(Imm(0b1011), x.of(way), z) })
		exponent := func(x value) value {
			return m.perVector(func(way int, z VecVirtual) { VGETEXPPS(x.of(way), z) })
		}
		return m.sub(exponent(x), exponent(mantissa)), mantissa
	}
	subnormal := m.compare(x, less, m.number(0x1p-126))
	x = m.pick(subnormal, m.mul(x, m.number(1<<23)), x)
	const threeQuarters = 0x3f400000
	bits := m.shiftRight(m.subInts(x, m.bits(threeQuarters)), 23)
	mantissa = m.subInts(x, m.shiftLeft(bits, 23))
	n = m.fromInts(bits)
	return m.sub(n, m.pick(subnormal, m.number(23), m.number(0))), mantissa
}
