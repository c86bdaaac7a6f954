package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/reg"
)

const signBit = 1 << 31

// split returns n, the integer nearest to x/ln(2), and r = x - n*ln(2).
func (m *machine) split(x value) (n, r value) {
	n = m.round(m.mul(x, m.number(math.Log2E)), nearest)
	// ln(2) in two parts, of which the first has few bits.
	r = m.copy(x)
	m.subProduct(r, n, m.number(0.693359375))
	m.subProduct(r, n, m.number(-2.12194440e-4))
	return n, r
}

// exponential returns exp(x), by x = n*ln(2) + r and a polynomial of r, for x from
// leastExponent to 70, or NaN.
func (m *machine) exponential(x value) value {
	n, r := m.split(x)
	return m.scaled(r, exponentialNumbers, n)
}

// scaled returns the polynomial of x times 2 to the n, an integer from -150 to 103,
// with one rounding where the product is subnormal: AVX2 has another power of two in
// the coefficients, so that the one to multiply by is normal.
func (m *machine) scaled(x value, c []float64, n value) value {
	if m.wide {
		return m.scale(m.polynomial(x, c), n)
	}
	const shift = 24
	small := make([]float64, len(c))
	for i := range c {
		small[i] = math.Ldexp(c[i], -shift)
	}
	n = m.each(func(way int, z VecVirtual) { VCVTPS2DQ(n.of(way), z) })
	return m.mul(m.polynomial(x, small), m.shifted(n, shift))
}

var exponentialNumbers = []float64{
	1.3814559659e-03, 8.3687355803e-03, 4.1668389863e-02, 1.6666520478e-01, 4.9999993437e-01, 1, 1,
}

// The exponential is 0 from the first on, and an infinity from the second.
const (
	leastExponent    = -104
	greatestExponent = 89
)

// atLeast returns max(x, limit), NaN for NaN; atMost likewise.
func (m *machine) atLeast(x value, limit float64) value { return m.max(m.number(limit), x) }
func (m *machine) atMost(x value, limit float64) value  { return m.min(m.number(limit), x) }

func (m *machine) exp(x value) value {
	n, r := m.split(m.atLeast(m.atMost(x, greatestExponent), leastExponent))
	return m.scale(m.polynomial(r, exponentialNumbers), n)
}

func (m *machine) abs(x value) value { return m.and(x, m.bits(signBit-1)) }

// decay returns exp(-|x|).
func (m *machine) decay(x value) value {
	return m.exponential(m.atLeast(m.or(x, m.bits(signBit)), leastExponent))
}

// logistic returns 1/(1+exp(-x)), for a negative x in the form of exp(x)/(1+exp(x)),
// which does not overflow.
func (m *machine) logistic(x value) value {
	e := m.decay(x)
	return m.div(m.pick(m.isNegative(x), e, m.number(1)), m.add(e, m.number(1)))
}

// swish returns x/(1+exp(-z)).
func (m *machine) swish(x, z value) value {
	e := m.decay(z)
	return m.div(m.mul(x, m.pick(m.isNegative(z), e, m.number(1))), m.add(e, m.number(1)))
}

// ratio returns x*P(x*x)/Q(x*x) of an odd function that is 1 from limit on, where the
// quotient is not below 1.
func (m *machine) ratio(x value, limit float64, p, q []float64) value {
	x = m.atLeast(m.atMost(x, limit), -limit)
	square := m.mul(x, x)
	y := m.div(m.mul(x, m.polynomial(square, p)), m.polynomial(square, q))
	return m.atLeast(m.atMost(y, 1), -1)
}

func (m *machine) tanh(x value) value {
	return m.ratio(x, 9.02,
		[]float64{1.33829898e-08, 2.06341883e-05, 0.00349733164, 0.133825734, 1},
		[]float64{7.78950721e-07, 0.000328832917, 0.0258838572, 0.467158943, 1})
}

func (m *machine) erf(x value) value {
	return m.ratio(x, 3.93,
		[]float64{2.0419710495e-06, 2.8480386422e-04, 3.7794730191e-03, 5.2789856482e-02, 1.9078089860e-01, 1.1283791454},
		[]float64{3.8003830415e-05, 1.1651766295e-03, 1.4997164543e-02, 1.1425627295e-01, 5.0240788943e-01, 1})
}

// geluErf returns x*Phi(x), Phi the normal distribution: max(x, 0) - |x|*Phi(-|x|).
// Phi(-a) is exp(-a*a/2) times a quotient of polynomials of a. The square is taken with
// what its rounding loses, which would be the greatest part of the error far from 0.
// It is NaN for the negative infinity, which is infinity times 0.
func (m *machine) geluErf(x value) value {
	const limit = 14.43 // Phi(-a) is 0 from here on, and n not below -150
	a := m.abs(m.atMost(x, limit))
	near := m.atMost(a, limit)
	square := m.mul(near, near)
	lost := m.copy(near)
	m.mulSub(lost, near, square)
	n := m.round(m.mul(square, m.number(-math.Log2E/2)), nearest)
	r := square // + 2*n*ln(2): -2 times the exponent that is left
	m.addProduct(r, n, m.number(2*0.693359375))
	m.addProduct(r, n, m.number(2*-2.12194440e-4))
	r = m.add(r, lost)
	halves := make([]float64, len(exponentialNumbers))
	for i, c := range exponentialNumbers {
		halves[i] = c * math.Pow(-0.5, float64(len(halves)-1-i))
	}
	e := m.scaled(r, halves, n)
	p := m.polynomial(near, []float64{0.00408826815, 0.040452525, 0.182710394, 0.437602907, 0.5})
	q := m.polynomial(near, []float64{0.010247644, 0.101406097, 0.468081445, 1.20034981, 1.6730907, 1})
	y := m.max(m.bits(signBit), x)
	m.subProduct(y, a, m.div(m.mul(e, p), q))
	return y
}

// geluTanh returns x*(1+tanh(y))/2, which is x/(1+exp(-2*y)).
func (m *machine) geluTanh(x value) value {
	linear := 2 * math.Sqrt(2/math.Pi)
	z := m.mul(x, x)
	m.mulAdd(z, m.inRegister(m.number(linear*0.044715)), m.number(linear))
	return m.swish(x, m.mul(z, x))
}

// mish returns x*tanh(ln(1+e)), e = exp(x), which is x*n/(n+2) with n = e*(e+2).
func (m *machine) mish(x value) value {
	const limit = 20 // n/(n+2) is 1 from here on
	e := m.exponential(m.atLeast(m.atMost(x, limit), leastExponent))
	n := m.mul(e, m.add(e, m.number(2)))
	return m.mul(x, m.div(n, m.add(n, m.number(2))))
}

// softplus returns ln(1+exp(x)) as max(x, 0) + ln(1+exp(-|x|)).
func (m *machine) softplus(x value) value {
	e := m.decay(x)
	p := m.polynomial(e, []float64{3.4172459835e-03, 2.3815627451e-01, 1.0662162436, 1})
	q := m.polynomial(e, []float64{7.5286805639e-02, 6.8793392493e-01, 1.5662161130, 1})
	return m.add(m.atLeast(x, 0), m.div(m.mul(e, p), q))
}

// hsigmoid returns min(max(x+3, 0), 6)/6.
func (m *machine) hsigmoid(x value) value {
	return m.mul(m.atMost(m.atLeast(m.add(x, m.number(3)), 0), 6), m.number(1./6))
}

// negativeExpm1 returns exp(x)-1 for x up to 0: 2^n*(exp(r)-1) + (2^n-1).
func (m *machine) negativeExpm1(x value) value {
	n, r := m.split(m.atLeast(x, -25))
	y := m.polynomial(r, []float64{1.3882517964e-03, 8.3665381607e-03, 4.1667200426e-02, 1.6666543491e-01, 4.9999998151e-01})
	y = m.mul(y, m.mul(r, r))
	y = m.add(y, r)
	power := m.power(n)
	m.mulAdd(y, power, m.sub(power, m.number(1)))
	return y
}

func (m *machine) elu(x, alpha value) value {
	return m.pick(m.compare(x, less, m.number(0)), m.mul(alpha, m.negativeExpm1(x)), x)
}

func (m *machine) sign(x value) value {
	one := m.or(m.and(x, m.bits(signBit)), m.number(1))
	return m.pick(m.compare(x, notEqual, m.number(0)), one, x)
}

// roundHalfAway adds 1 to what is cut off halfway.
func (m *machine) roundHalfAway(x value) value {
	cut := m.round(x, towardsZero)
	farther := m.add(cut, m.or(m.and(x, m.bits(signBit)), m.number(1)))
	return m.pick(m.compare(m.abs(m.sub(x, cut)), notLess, m.number(0.5)), farther, cut)
}

// root returns x to the 0.5, which beside -0 and the negative infinity is the square
// root.
func (m *machine) root(x value) value {
	infinity := m.number(math.Inf(1))
	y := m.sqrt(m.add(x, m.number(0)))
	return m.pick(m.compare(x, equal, m.number(math.Inf(-1))), infinity, y)
}
