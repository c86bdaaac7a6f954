package recurrence

import (
	"math"

	"github.com/vinoir/vinoir/internal/vmath"
)

// Adder returns a function that adds the rows a and b, vector code if there is some.
func Adder() func(out, a, b []float32) { return binary(vmath.Add, add) }

// Multiplier returns a function that multiplies the rows a and b, vector code if there is some.
func Multiplier() func(out, a, b []float32) { return binary(vmath.Multiply, multiply) }

// binary returns vector code that sets out to a function of the rows a and b, if there is some, and
// loop otherwise.
func binary(f vmath.Function, loop func(out, a, b []float32)) func(out, a, b []float32) {
	if vector := vmath.Binary(f, vmath.Rows); vector != nil {
		return vector
	}
	return loop
}

func add(out, a, b []float32) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] + b[i]
	}
}

func multiply(out, a, b []float32) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] * b[i]
	}
}

// Clip limits x to the range from -limit to limit. A limit that is not positive is none.
func Clip(x []float32, limit float64) {
	if limit <= 0 || math.IsInf(limit, 1) {
		return
	}
	most := float32(limit)
	for i, v := range x {
		x[i] = min(max(v, -most), most)
	}
}

// Scaler returns a function that multiplies the row a by the first element of b, vector code if
// there is some.
func Scaler() func(out, a, b []float32) {
	if vector := vmath.Binary(vmath.Multiply, vmath.ScalarB); vector != nil {
		return vector
	}
	return func(out, a, b []float32) {
		for i, x := range a[:len(out)] {
			out[i] = x * b[0]
		}
	}
}
