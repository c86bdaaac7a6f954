package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// checkedFunction is a function of one or two numbers. valid selects the lanes whose
// result z is valid. domain states when they are.
type checkedFunction struct {
	name, formula, domain string
	neonRegisters         int // how many constants are in registers with NEON
	apply                 func(m *machine, x, y value) (z value, valid condition)
}

// The domains of valid.
const (
	powDomain = "a[i] is finite and not 0, and |b[i]| < 2^22"
	modDomain = "b[i] is finite and |trunc(a[i]/b[i])| < 2^22"
	sinDomain = "|a[i]| < 2^40"
)

var checked = []checkedFunction{
	{"power", "pow(a[i], b[i])", powDomain, 14, (*machine).pow},
	{"mod", "a[i] - b[i]*trunc(a[i]/b[i])", modDomain, 14, (*machine).mod},
	{"floorMod", "a[i] - b[i]*floor(a[i]/b[i])", modDomain, 14, func(m *machine, x, y value) (value, condition) {
		r, valid := m.mod(x, y)
		signsDiffer := m.isNegative(m.xor(r, y))
		zero := m.and(y, m.bits(signBit))
		return m.pick(m.compare(r, equal, m.number(0)), zero, m.pick(signsDiffer, m.add(r, y), r)), valid
	}},
	{"sin", "sin(a[i])", sinDomain, 14, func(m *machine, x, _ value) (value, condition) {
		y, valid := m.sin(x, 0)
		return m.pick(m.compare(x, equal, m.number(0)), x, y), valid // keeps -0
	}},
	{"cos", "cos(a[i])", sinDomain, 14, func(m *machine, x, _ value) (value, condition) { return m.sin(x, 1) }},
}

// generate generates the function.
func (f *checkedFunction) generate(wide bool) {
	name := f.name + "Checked" + suffix(wide)
	TEXT(name, NOSPLIT, "func(out, a, b *float32, n int) bool")
	Pragma("noescape")
	Doc(name+" sets, for each i < n,", "", "\tout[i] = "+f.formula, "",
		"if "+f.domain+".", "Otherwise out[i] is unspecified, and the function returns false.")
	out, a, b := Load(Param("out"), GP64()), Load(Param("a"), GP64()), Load(Param("b"), GP64())
	n := Load(Param("n"), GP64())
	m := &machine{wide: wide, ways: 1}
	m.collect(map[bool]int{true: 8}[wide], func() { f.apply(m, nil, nil) })
	all := m.copy(m.bits(1<<32 - 1))
	m.walk(n, 1, func() Op { return m.tail(n) }, func(part Op) {
		z, valid := f.apply(m, m.load(a, part), m.load(b, part))
		m.store(out, part, z)
		which := m.pick(valid, m.bits(1<<32-1), m.number(0))
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

// pow returns x to the power of y, computed as exp2(y*log2(x)) with the logarithm in 64
// bits: for x = 2^n * (1+f) it is n + s*P(s*s), s = f/(2+f). For a negative x, the power is
// negative if y is odd, and NaN if y is not an integer.
func (m *machine) pow(x, y value) (value, condition) {
	n, mantissa := m.frexp(m.abs(x))
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
	ofNegative := m.pick(isOdd, m.xor(result, m.and(x, m.bits(signBit))), result)
	isWhole := m.compare(y, equal, m.round(y, down))
	ofNegative = m.pick(isWhole, ofNegative, m.number(math.NaN()))
	result = m.pick(m.isNegative(x), ofNegative, result)
	// x*0 is NaN if x is infinite or NaN, and then no y is below the limit.
	limit := m.add(m.mul(x, m.number(0)), m.number(1<<22))
	limit = m.pick(m.compare(x, equal, m.number(0)), m.number(0), limit)
	return result, m.compare(m.abs(y), less, limit)
}

// mod returns x - y*trunc(x/y). Rounding can make the quotient too great by 1, which a
// negative remainder shows.
func (m *machine) mod(x, y value) (value, condition) {
	sign, a, b := m.and(x, m.bits(signBit)), m.abs(x), m.abs(y)
	quotient := m.round(m.div(a, b), towardsZero)
	r := m.copy(a)
	m.subProduct(r, quotient, b)
	r = m.pick(m.compare(r, less, m.number(0)), m.add(r, b), r)
	valid := m.pick(m.compare(b, less, m.number(math.Inf(1))), quotient, m.number(math.NaN()))
	return m.or(m.abs(r), sign), m.compare(valid, less, m.number(1<<22))
}

// sin returns sin(x + quarters*pi/2). With x = n*pi/2 + r, the result is the sine or cosine
// of r, or its negative.
func (m *machine) sin(x value, quarters float64) (value, condition) {
	const low = 6.123233995736766e-17 // pi/2 minus float64(pi/2)
	d, r := m.widened(x)
	n := d.round(d.mul(r, d.number(2/math.Pi)), nearest)
	d.subProduct(r, n, d.number(math.Pi/2))
	d.subProduct(r, n, d.number(low))
	n = d.add(n, d.number(quarters))
	// n modulo 4 is 2*half + odd: odd selects the cosine, half the negative.
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
