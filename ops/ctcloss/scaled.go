package ctcloss

import "math"

// scaled is a probability that can be much smaller than a float64: m * 2^(unit*e). Its m is 0 or
// between 2^-(unit/2) and 2^(unit/2), except that a few sums without a product may exceed the upper
// limit. Products and sums of such numbers take a fraction of the time of sums of logarithms.
type scaled struct {
	m float64
	e int64
}

const (
	unit  = 512
	scale = 0x1p512
	least = 0x1p-256
	most  = 0x1p256
)

// exp returns e^x for an x that is not above 0 by more than a rounding error.
func exp(x float64) scaled {
	if x > -unit/2*math.Ln2 {
		return scaled{math.Exp(x), 0}
	}
	if x < -1<<60 {
		return scaled{}
	}
	e := math.Ceil(x / (unit * math.Ln2))
	return scaled{math.Exp(x - e*(unit*math.Ln2)), int64(e)}.normal()
}

// normal restores the limits of m.
func (a scaled) normal() scaled {
	switch {
	case a.m == 0:
		return scaled{}
	case a.m < least:
		return scaled{a.m * scale, a.e - 1}
	case a.m >= most:
		return scaled{a.m / scale, a.e + 1}
	}
	return a
}

func (a scaled) times(b scaled) scaled {
	return scaled{a.m * b.m, a.e + b.e}.normal()
}

func (a scaled) plus(b scaled) scaled {
	if a.e == b.e {
		a.m += b.m
		return a
	}
	return a.plusOther(b)
}

// plusOther is plus for other exponents.
func (a scaled) plusOther(b scaled) scaled {
	switch {
	case b.m == 0:
		return a
	case a.m == 0:
		return b
	case a.e < b.e:
		a, b = b, a
	}
	if a.e-b.e == 1 { // otherwise b is smaller than the rounding error
		a.m += b.m / scale
	}
	return a
}

// log returns the natural logarithm.
func (a scaled) log() float64 {
	return math.Log(a.m) + float64(a.e)*(unit*math.Ln2)
}
