package main

import "math"

const signBit = 1 << 31

// split does the range reduction of exp. It returns n, the integer nearest to x/ln(2), and
// r = x - n*ln(2).
func (m *machine) split(x value) (n, r value) {
	n = m.round(m.mul(x, m.number(math.Log2E)), nearest)
	// ln(2) is the sum of two parts. The first has few bits, so that its product with n is
	// exact.
	r = m.copy(x)
	m.subProduct(r, n, m.number(0.693359375))
	m.subProduct(r, n, m.number(-2.12194440e-4))
	return n, r
}

// exponential returns exp(x) for x from leastExponent to 70 or NaN: with x = n*ln(2) + r, it
// is 2^n times a polynomial of r.
func (m *machine) exponential(x value) value {
	n, r := m.split(x)
	return m.scaledPolynomial(r, expCoefficients, n)
}

// scaledPolynomial returns the polynomial of x with the coefficients c, times 2^n. n is an
// integer from -150 to 103. A subnormal result is rounded once: for AVX2, the coefficients
// contain a power of two, so that the other factor is normal.
func (m *machine) scaledPolynomial(x value, c []float64, n value) value {
	if m.wide {
		return m.scale(m.polynomial(x, c), n)
	}
	const shift = 24
	small := make([]float64, len(c))
	for i := range c {
		small[i] = math.Ldexp(c[i], -shift)
	}
	n = m.toInts(n)
	return m.mul(m.polynomial(x, small), m.powerOfInteger(n, shift))
}

// expCoefficients is a polynomial for exp(r), |r| <= ln(2)/2.
var expCoefficients = []float64{
	1.3814559659e-03, 8.3687355803e-03, 4.1668389863e-02, 1.6666520478e-01, 4.9999993437e-01, 1, 1,
}

// In float32, exp(x) is 0 for x <= leastExponent and infinite for x >= greatestExponent.
const (
	leastExponent    = -104
	greatestExponent = 89
)

// atLeast returns max(x, limit), or NaN if x is NaN.
func (m *machine) atLeast(x value, limit float64) value {
	if m.neon != nil {
		return m.perNEON("fmax", x, m.number(limit)) // NaN if x is NaN
	}
	return m.max(m.number(limit), x)
}

// atMost returns min(x, limit), or NaN if x is NaN.
func (m *machine) atMost(x value, limit float64) value {
	if m.neon != nil {
		return m.perNEON("fmin", x, m.number(limit))
	}
	return m.min(m.number(limit), x)
}

// exp returns exp(x) for every x.
func (m *machine) exp(x value) value {
	n, r := m.split(m.atLeast(m.atMost(x, greatestExponent), leastExponent))
	return m.scale(m.polynomial(r, expCoefficients), n)
}

// abs returns |x|.
func (m *machine) abs(x value) value { return m.and(x, m.bits(signBit-1)) }

// decay returns exp(-|x|).
func (m *machine) decay(x value) value {
	return m.exponential(m.atLeast(m.or(x, m.bits(signBit)), leastExponent))
}

// logistic returns 1/(1+exp(-x)). For a negative x it is computed as exp(x)/(1+exp(x)), which
// does not overflow.
func (m *machine) logistic(x value) value {
	e := m.decay(x)
	return m.div(m.pick(m.isNegative(x), e, m.number(1)), m.add(e, m.number(1)))
}

// swish returns x/(1+exp(-z)), computed as in logistic.
func (m *machine) swish(x, z value) value {
	e := m.decay(z)
	return m.div(m.mul(x, m.pick(m.isNegative(z), e, m.number(1))), m.add(e, m.number(1)))
}

// ratio returns x*P(x*x)/Q(x*x), limited to [-1, 1], for an odd function that is 1 from limit
// on. The quotient must not be below 1 at limit.
func (m *machine) ratio(x value, limit float64, p, q []float64) value {
	x = m.atLeast(m.atMost(x, limit), -limit)
	square := m.mul(x, x)
	y := m.div(m.mul(x, m.polynomial(square, p)), m.polynomial(square, q))
	return m.atLeast(m.atMost(y, 1), -1)
}

// tanh returns tanh(x).
func (m *machine) tanh(x value) value {
	return m.ratio(x, 9.02,
		[]float64{1.33829898e-08, 2.06341883e-05, 0.00349733164, 0.133825734, 1},
		[]float64{7.78950721e-07, 0.000328832917, 0.0258838572, 0.467158943, 1})
}

// erf returns erf(x).
func (m *machine) erf(x value) value {
	return m.ratio(x, 3.93,
		[]float64{2.0419710495e-06, 2.8480386422e-04, 3.7794730191e-03, 5.2789856482e-02, 1.9078089860e-01, 1.1283791454},
		[]float64{3.8003830415e-05, 1.1651766295e-03, 1.4997164543e-02, 1.1425627295e-01, 5.0240788943e-01, 1})
}

// geluErf returns x*Phi(x), computed as max(x, 0) - |x|*Phi(-|x|). Phi is the distribution
// function of the normal distribution: Phi(-a) is exp(-a*a/2) times a quotient of
// polynomials of a. The rounding error of a*a is computed too and added to the exponent,
// because it would be most of the error for large a. The result for the negative infinity
// is infinity times 0, NaN.
func (m *machine) geluErf(x value) value {
	const limit = 14.43 // Phi(-a) rounds to 0 from here on, and n is not below -150
	a := m.abs(m.atMost(x, limit))
	near := m.atMost(a, limit)
	square := m.mul(near, near)
	lost := m.copy(near)
	m.mulSub(lost, near, square)
	n := m.round(m.mul(square, m.number(-math.Log2E/2)), nearest)
	r := square // r becomes square + 2*n*ln(2) + lost, which is -2 times the reduced exponent
	m.addProduct(r, n, m.number(2*0.693359375))
	m.addProduct(r, n, m.number(2*-2.12194440e-4))
	r = m.add(r, lost)
	halves := make([]float64, len(expCoefficients))
	for i, c := range expCoefficients {
		halves[i] = c * math.Pow(-0.5, float64(len(halves)-1-i))
	}
	e := m.scaledPolynomial(r, halves, n)
	p := m.polynomial(near, []float64{0.00408826815, 0.040452525, 0.182710394, 0.437602907, 0.5})
	q := m.polynomial(near, []float64{0.010247644, 0.101406097, 0.468081445, 1.20034981, 1.6730907, 1})
	y := m.max(m.bits(signBit), x)
	m.subProduct(y, a, m.div(m.mul(e, p), q))
	return y
}

// geluTanh returns x*(1+tanh(y))/2 with y = sqrt(2/pi)*(x+0.044715*x^3), computed as
// x/(1+exp(-2*y)).
func (m *machine) geluTanh(x value) value {
	linear := 2 * math.Sqrt(2/math.Pi)
	z := m.mul(x, x)
	m.mulAdd(z, m.inRegister(m.number(linear*0.044715)), m.number(linear))
	return m.swish(x, m.mul(z, x))
}

// mish returns x*tanh(ln(1+e)) with e = exp(x), computed as x*n/(n+2) with n = 2*e + e*e.
func (m *machine) mish(x value) value {
	const limit = 20 // n/(n+2) is 1 from here on
	e := m.exponential(m.atLeast(m.atMost(x, limit), leastExponent))
	n := m.add(e, e)
	m.addProduct(n, e, e)
	return m.mul(x, m.div(n, m.add(n, m.number(2))))
}

// softplus returns ln(1+exp(x)), computed as max(x, 0) + ln(1+exp(-|x|)).
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

// negativeExpm1 returns exp(x)-1 for x <= 0, computed as 2^n*(exp(r)-1) + (2^n-1).
func (m *machine) negativeExpm1(x value) value {
	n, r := m.split(m.atLeast(x, -25))
	y := m.polynomial(r, []float64{1.3882517964e-03, 8.3665381607e-03, 4.1667200426e-02, 1.6666543491e-01, 4.9999998151e-01})
	y = m.mul(y, m.mul(r, r))
	y = m.add(y, r)
	power := m.power(n)
	m.mulAdd(y, power, m.sub(power, m.number(1)))
	return y
}

// elu returns x < 0 ? alpha*(exp(x)-1) : x.
func (m *machine) elu(x, alpha value) value {
	return m.pick(m.compare(x, less, m.number(0)), m.mul(alpha, m.negativeExpm1(x)), x)
}

// sign returns 1 or -1, or x if it is 0, -0 or NaN.
func (m *machine) sign(x value) value {
	one := m.or(m.and(x, m.bits(signBit)), m.number(1))
	return m.pick(m.compare(x, notEqual, m.number(0)), one, x)
}

// roundHalfAway returns the integer nearest to x, ties away from 0.
func (m *machine) roundHalfAway(x value) value {
	cut := m.round(x, towardsZero)
	farther := m.add(cut, m.or(m.and(x, m.bits(signBit)), m.number(1)))
	return m.pick(m.compare(m.abs(m.sub(x, cut)), notLess, m.number(0.5)), farther, cut)
}

// root returns the square root of x, but 0 for -0 and infinity for the negative infinity, as
// math.Pow(x, 0.5) does.
func (m *machine) root(x value) value {
	infinity := m.number(math.Inf(1))
	y := m.sqrt(m.add(x, m.number(0)))
	return m.pick(m.compare(x, equal, m.number(math.Inf(-1))), infinity, y)
}
