package eltwise

import (
	"math"
	"math/bits"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

var (
	unknown = ir.Interval{Min: math.MinInt64, Max: math.MaxInt64}
	either  = ir.Interval{Min: 0, Max: 1} // for booleans
	// lengths are the bounds that OpenVINO assumes for a result of unbounded lengths, even for
	// their difference, which may be negative.
	lengths = ir.Interval{Min: 0, Max: math.MaxInt64}
)

// bounds propagates values element by element. In types of 32 and 64 bits, the greatest integer
// represents an unbounded length. As in OpenVINO, the result of such an input keeps only its sign,
// and unbounded lengths are assumed not to wrap.
func bounds(in *ops.Inference) {
	out := &in.Outputs[0]
	for i := range in.Inputs {
		if in.Inputs[i].Tensor == nil && in.Inputs[i].Values == nil {
			return // the bounds of the other input need not be made
		}
	}
	shape, err := out.Shape.Static()
	if err != nil || out.Shape.Elements().Max > ir.MaxValues {
		return
	}
	a, b := in.Inputs[0].Bounds(), in.Inputs[1].Bounds()
	f := boundsOf(in.Attributes.(attributes), in.Inputs[0].Type)
	if a == nil || b == nil || f == nil {
		return
	}
	aShape, errA := in.Inputs[0].Shape.Static()
	bShape, errB := in.Inputs[1].Shape.Static()
	if errA != nil || errB != nil {
		return
	}
	g, err := geometryOf(shape, aShape, bShape, in.Attributes.(attributes))
	if err != nil {
		return
	}
	values := make([]ir.Interval, g.elements)
	for done := 0; done < len(values); {
		s := g.span(done, len(values)) // of which this takes the first row
		for i := range s.n {
			x, y := s.a, s.b
			if g.stretching != aStretched {
				x += i
			}
			if g.stretching != bStretched {
				y += i
			}
			values[done+i] = f(a[x], b[y])
			if in.Inputs[0].Type == ir.U64 && out.Type == ir.U64 && values[done+i].Max == math.MaxInt64 {
				return // the value may overflow int64
			}
		}
		done += s.n
	}
	out.Values = values
}

// boundsOf returns the function that computes at.f of intervals. It returns nil if OpenVINO
// propagates only constants through at.f, and for the remainders of floats, which do not depend on
// the ends of the intervals alone.
func boundsOf(at attributes, t ir.ElementType) func(a, b ir.Interval) ir.Interval {
	lo, hi, ok := t.Limits()
	value := func(x, y int64) (int64, bool) { return exact(at, x, y) }
	_, isReal := t.Round(0)
	if isReal {
		lo, hi, ok = math.MinInt64, math.MaxInt64, true
		value = func(x, y int64) (int64, bool) { return rounded(at.f, t, x, y) }
	}
	switch at.f {
	case equal:
		if ok && !isReal {
			return equalBounds
		}
		return nil
	case add, subtract, multiply, maximum, minimum, divide, power:
		ok = ok && t != ir.Boolean
	case mod, floorMod:
		ok = ok && t != ir.Boolean && !isReal
	default:
		ok = false
	}
	if !ok {
		return nil
	}
	return func(a, b ir.Interval) ir.Interval {
		v := arithmeticBounds(at.f, a, b, hi, value)
		switch {
		case isReal && (a == unknown || b == unknown):
			return unknown // it may be NaN
		case v == unknown && (isUnbounded(a, hi) || isUnbounded(b, hi)) && !(at.f == divide && b.Max == 0):
			return lengths
		case v.Max != math.MaxInt64 && (v.Min < lo || v.Max > hi):
			return unknown // it may wrap
		}
		return v
	}
}

// arithmeticBounds returns the bounds of f. hi is the greatest value of the element type. value
// computes f of two numbers.
func arithmeticBounds(f function, a, b ir.Interval, hi int64, value binary) ir.Interval {
	unbounded := func(i ir.Interval) bool { return isUnbounded(i, hi) }
	switch f {
	case divide:
		return divideBounds(a, b, unbounded(a), unbounded(b), value)
	case mod, floorMod:
		return modBounds(a, b, unbounded(a), hi)
	case power:
		if a.Min < 0 || b.Min < 0 {
			return unknown
		}
	}
	if unbounded(a) || unbounded(b) {
		return positive(f != subtract && a.Min >= 0 && b.Min >= 0 || f == maximum && (a.Min >= 0 || b.Min >= 0))
	}
	return corners(a, b, value)
}

// isUnbounded reports whether i is an unbounded length. hi is the greatest value of the element
// type.
func isUnbounded(i ir.Interval, hi int64) bool {
	return !i.Known() && (i.Max >= hi && hi >= math.MaxInt32 || i.Max == math.MaxInt64 || i.Min == math.MinInt64)
}

// positive returns the interval of all numbers from 0 on if ok is true, or else of all numbers.
func positive(ok bool) ir.Interval {
	if ok {
		return ir.Interval{Min: 0, Max: math.MaxInt64}
	}
	return unknown
}

// binary is a function of two numbers; false if the result is undefined or does not fit.
type binary func(x, y int64) (int64, bool)

// corners returns the range of f over two intervals; unknown if f is undefined at one of the
// corners. f must be monotonic in both arguments.
func corners(a, b ir.Interval, f binary) ir.Interval {
	if a.Known() && b.Known() {
		if z, ok := f(a.Min, b.Min); ok {
			return ir.Interval{Min: z, Max: z}
		}
		return unknown
	}
	v := ir.Interval{Min: math.MaxInt64, Max: math.MinInt64}
	for _, x := range [...]int64{a.Min, a.Max} {
		for _, y := range [...]int64{b.Min, b.Max} {
			z, ok := f(x, y)
			if !ok {
				return unknown
			}
			v.Min, v.Max = min(v.Min, z), max(v.Max, z)
		}
	}
	return v
}

// exact returns at.f of integers; false if it overflows an int64.
func exact(at attributes, x, y int64) (int64, bool) {
	switch at.f {
	case add:
		z := x + y
		return z, (z > x) == (y > 0)
	case subtract:
		z := x - y
		return z, (z < x) == (y > 0)
	case multiply:
		return product(x, y)
	case maximum:
		return max(x, y), true
	case minimum:
		return min(x, y), true
	case divide:
		if at.floor {
			return floorQuotient(x, y), true
		}
		return x / y, true
	}
	// The loop is short, because powers of x > 1 soon overflow int64.
	if x <= 1 {
		return integerPower(x, y), true
	}
	z, ok := int64(1), true
	for ; y > 0 && ok; y-- {
		z, ok = product(z, x)
	}
	return z, ok
}

func product(x, y int64) (int64, bool) {
	over, low := bits.Mul64(magnitude(x), magnitude(y))
	return x * y, over == 0 && low <= math.MaxInt64
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// divideBounds returns the bounds of a quotient. If the divisor may be 0, there is no upper bound,
// as in OpenVINO, although the kernel rejects 0.
func divideBounds(a, b ir.Interval, aUnbounded, bUnbounded bool, quotient binary) ir.Interval {
	switch {
	case b.Max < 0 && !aUnbounded && !bUnbounded:
		return corners(a, b, quotient)
	case b.Min < 0 || b.Max == 0 || b.Min == 0 && a.Min < 0:
		return unknown
	case aUnbounded || bUnbounded:
		return positive(a.Min >= 0)
	case b.Min > 0:
		return corners(a, b, quotient)
	}
	v := corners(ir.Interval{Min: a.Min, Max: a.Min}, ir.Interval{Min: b.Max, Max: b.Max}, quotient)
	v.Max = math.MaxInt64
	return v
}

// modBounds returns the bounds of a remainder; unknown if an operand may be negative.
func modBounds(a, b ir.Interval, aUnbounded bool, hi int64) ir.Interval {
	switch {
	case a.Min < 0 || b.Min < 0:
		return unknown
	case b.Min == 0 || b.Min == hi || aUnbounded:
		return positive(true)
	case a.Max < b.Min:
		return a
	case b.Known() && a.Max-a.Min < b.Min && a.Min%b.Min <= a.Max%b.Min:
		return ir.Interval{Min: a.Min % b.Min, Max: a.Max % b.Min}
	}
	return ir.Interval{Min: 0, Max: min(a.Max, b.Max-1)}
}

// equalBounds returns 1 if both values are known and equal, 0 if the intervals have no number in
// common, and either in all other cases.
func equalBounds(a, b ir.Interval) ir.Interval {
	switch {
	case max(a.Min, b.Min) > min(a.Max, b.Max):
		return ir.Interval{}
	case a.Known() && b.Known():
		return ir.Interval{Min: 1, Max: 1}
	}
	return either
}
