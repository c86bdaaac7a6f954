package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// function3 is a function of one or two numbers that tells where its results hold.
type function3 struct {
	name, formula string
	apply         func(m *machine, x, y value) (z value, holds condition)
}

var checked = []function3{
	{"power", "a[i] to the b[i], for finite a[i] other than 0 and b[i] up to 2^22", (*machine).pow},
	{"mod", "a[i] - b[i]*trunc(a[i]/b[i]), for quotients up to 2^22", (*machine).mod},
	{"floorMod", "a[i] - b[i]*floor(a[i]/b[i]), for quotients up to 2^22", func(m *machine, x, y value) (value, condition) {
		r, holds := m.mod(x, y)
		other := m.isNegative(m.xor(r, y)) // of the signs
		zero := m.and(y, m.bits(signBit))
		return m.pick(m.compare(r, equal, m.number(0)), zero, m.pick(other, m.add(r, y), r)), holds
	}},
	{"sin", "sin(a[i]), for a[i] up to 2^40", func(m *machine, x, _ value) (value, condition) {
		y, holds := m.sin(x, 0)
		return m.pick(m.compare(x, equal, m.number(0)), x, y), holds // -0
	}},
	{"cos", "cos(a[i]), for a[i] up to 2^40", func(m *machine, x, _ value) (value, condition) { return m.sin(x, 1) }},
}

func (f *function3) generate(wide bool) {
	name := f.name + "Checked" + suffix(wide)
	TEXT(name, NOSPLIT, "func(out, a, b *float32, n int) bool")
	Pragma("noescape")
	Doc(name+" sets, for i below n,", "", "\tout[i] = "+f.formula, "", "and returns whether all a[i] and b[i] are such numbers.")
	out, a, b := Load(Param("out"), GP64()), Load(Param("a"), GP64()), Load(Param("b"), GP64())
	n := Load(Param("n"), GP64())
	m := &machine{wide: wide, ways: 1}
	m.collect(map[bool]int{true: 8}[wide], func() { f.apply(m, nil, nil) })
	all := m.copy(m.bits(1<<32 - 1))
	m.walk(n, 1, func() Op { return m.tail(n) }, func(part Op) {
		z, holds := f.apply(m, m.from(a, part), m.from(b, part))
		m.to(out, part, z)
		which := m.pick(holds, m.bits(1<<32-1), m.number(0))
		if part != nil {
			which = m.pick(condition{part}, which, m.bits(1<<32-1))
		}
		VANDPS(which[0], all[0], all[0])
	}, func(count int) {
		ADDQ(U32(4*count), out)
		ADDQ(U32(4*count), a)
		ADDQ(U32(4*count), b)
	})
	bits, result := GP32(), GP8()
	if wide {
		k := K()
		VPMOVD2M(all[0], k)
		KMOVW(k, bits)
		CMPL(bits, U32(1<<16-1))
	} else {
		VMOVMSKPS(all[0], bits)
		CMPL(bits, U32(1<<8-1))
	}
	SETEQ(result)
	Store(result, ReturnIndex(0))
	end()
}

// pow returns exp2(y*log2(x)), the logarithm in 64 bits: with n and s = f/(2+f) of
// x = 2^n * (1+f) it is n + s*P(s*s). Of a negative x an odd power is negative, and one
// that is no integer is NaN.
func (m *machine) pow(x, y value) (value, condition) {
	n, mantissa := m.apart(m.abs(x))
	d, f := m.widened(m.sub(mantissa, m.number(1)))
	s := d.div(f, d.add(f, d.number(2)))
	p := d.polynomial(d.mul(s, s), []float64{0.34839176444117897, 0.41120638538430732, 0.5770923436487877, 0.96179662175527969, 2.8853900818359781})
	_, log := m.widened(n)
	d.addProduct(log, s, p)
	_, exponent := m.widened(y)
	t := d.mul(exponent, log)
	whole := d.round(t, nearest)
	r := m.narrowed(d.sub(t, whole))
	result := m.polynomial(r, []float64{0.0001535336125, 0.001339887464, 0.009618437362, 0.0555033247, 0.2402264791, 0.6931472029, 1})
	result = m.scale(result, m.atLeast(m.atMost(m.narrowed(whole), 129), -151))
	half := m.mul(y, m.number(0.5))
	isOdd := m.compare(half, notEqual, m.round(half, down))
	of := m.pick(isOdd, m.xor(result, m.and(x, m.bits(signBit))), result)
	isWhole := m.compare(y, equal, m.round(y, down))
	of = m.pick(isWhole, of, m.number(math.NaN()))
	result = m.pick(m.isNegative(x), of, result)
	// Not 0, not infinite, and not NaN: the product with 0 is NaN for these two.
	limit := m.add(m.mul(x, m.number(0)), m.number(1<<22))
	limit = m.pick(m.compare(x, equal, m.number(0)), m.number(0), limit)
	return result, m.compare(m.abs(y), less, limit)
}

// mod takes off y as many times as the quotient says, which rounding may have made
// one too great.
func (m *machine) mod(x, y value) (value, condition) {
	sign, a, b := m.and(x, m.bits(signBit)), m.abs(x), m.abs(y)
	quotient := m.round(m.div(a, b), towardsZero)
	r := m.copy(a)
	m.subProduct(r, quotient, b)
	r = m.pick(m.compare(r, less, m.number(0)), m.add(r, b), r)
	holds := m.pick(m.compare(b, less, m.number(math.Inf(1))), quotient, m.number(math.NaN()))
	return m.or(m.abs(r), sign), m.compare(holds, less, m.number(1<<22))
}

// sin returns the sine of x and quarters more turns, by x = n*pi/2 + r: the sine or
// the cosine of r, or what is opposite.
func (m *machine) sin(x value, quarters float64) (value, condition) {
	const low = 6.123233995736766e-17 // of pi/2, behind the bits of a float64
	d, r := m.widened(x)
	n := d.round(d.mul(r, d.number(2/math.Pi)), nearest)
	d.subProduct(r, n, d.number(math.Pi/2))
	d.subProduct(r, n, d.number(low))
	n = d.add(n, d.number(quarters))
	// n modulo 4 is 2*half + odd.
	halves := d.round(d.mul(n, d.number(0.5)), down)
	odd := d.copy(n)
	d.subProduct(odd, halves, d.number(2))
	half := d.copy(halves)
	d.subProduct(half, d.round(d.mul(halves, d.number(0.5)), down), d.number(2))
	t, isOdd, isHalf := m.narrowed(r), m.narrowed(odd), m.narrowed(half)
	square := m.mul(t, t)
	sine := m.polynomial(square, []float64{-0.0001951520026, 0.008332160163, -0.166666546})
	sine = m.mul(m.mul(sine, square), t)
	sine = m.add(sine, t)
	cosine := m.polynomial(square, []float64{2.443306229e-05, -0.001388731544, 0.04166664567, -0.5, 1})
	y := m.pick(m.compare(isOdd, notEqual, m.number(0)), cosine, sine)
	y = m.xor(y, m.pick(m.compare(isHalf, notEqual, m.number(0)), m.bits(signBit), m.number(0)))
	return y, m.compare(m.abs(x), less, m.number(1<<40))
}
