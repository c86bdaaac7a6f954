package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// log returns ln(x), by x = 2^n * (1+f) with f between -1/4 and 1/2.
func (m *machine) log(x value) value {
	n, mantissa := m.apart(x)
	f := m.sub(mantissa, m.number(1))
	square := m.mul(f, f)
	y := m.polynomial(f, []float64{
		-4.5074782578e-02, 1.0463020706e-01, -1.3161193715e-01, 1.4478395296e-01, -1.6647312188e-01, 1.9990861206e-01, -2.5000095841e-01, 3.3333449113e-01,
	})
	y = m.mul(m.mul(y, f), square)
	// ln(2) in two parts above 0, of which the first has few bits; the greatest comes last.
	const high = 0.693145751953125
	m.addProduct(y, n, m.number(math.Ln2-high))
	m.subProduct(y, square, m.number(0.5))
	y = m.add(y, f)
	m.addProduct(y, n, m.number(high))
	if m.wide {
		return y // n is infinite for 0 and infinity, and the mantissa NaN for numbers below 0
	}
	y = m.pick(m.compare(x, less, m.number(math.Inf(1))), y, x)
	below := m.pick(m.compare(x, equal, m.number(0)), m.number(math.Inf(-1)), m.number(math.NaN()))
	return m.pick(m.compare(x, greater, m.number(0)), y, below)
}

// apart returns n and a mantissa between 3/4 and 3/2 of which x is 2^n times.
func (m *machine) apart(x value) (n, mantissa value) {
	if m.wide {
		// NaN for numbers below 0.
		mantissa = m.each(func(way int, z VecVirtual) { VGETMANTPS(Imm(0b1011), x.of(way), z) })
		exponent := func(x value) value {
			return m.each(func(way int, z VecVirtual) { VGETEXPPS(x.of(way), z) })
		}
		return m.sub(exponent(x), exponent(mantissa)), mantissa
	}
	subnormal := m.compare(x, less, m.number(0x1p-126))
	x = m.pick(subnormal, m.mul(x, m.number(1<<23)), x)
	const threeQuarters = 0x3f400000
	bits := m.two(VPSUBD, x, m.bits(threeQuarters))
	bits = m.each(func(way int, z VecVirtual) { VPSRAD(Imm(23), bits.of(way), z) })
	shifted := m.each(func(way int, z VecVirtual) { VPSLLD(Imm(23), bits.of(way), z) })
	mantissa = m.two(VPSUBD, x, shifted)
	n = m.each(func(way int, z VecVirtual) { VCVTDQ2PS(bits.of(way), z) })
	return m.sub(n, m.pick(subnormal, m.number(23), m.number(0))), mantissa
}
