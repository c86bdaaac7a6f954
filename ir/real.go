package ir

import (
	"math"

	"github.com/vinoir/vinoir/internal/half"
)

// CodeOf encodes x as a bound of an Interval. The code is an integer with the order of the
// floats: the code of 0 is 0, and the code of -x is ^CodeOf(x). The codes of the infinities
// stand for no bound. x must not be NaN.
func CodeOf(x float64) int64 {
	switch {
	case math.IsInf(x, -1):
		return math.MinInt64
	case math.IsInf(x, 1):
		return math.MaxInt64
	}
	return flip(int64(math.Float64bits(x)))
}

// RealOf is the inverse of CodeOf.
func RealOf(code int64) float64 {
	switch code {
	case math.MinInt64:
		return math.Inf(-1)
	case math.MaxInt64:
		return math.Inf(1)
	}
	return math.Float64frombits(uint64(flip(code)))
}

// flip converts between the bits of a float and an integer with the same order: it inverts the
// magnitude bits of negative numbers.
func flip(b int64) int64 { return b ^ b>>63&math.MaxInt64 }

// Round returns the number of type t that is nearest to x. It returns false unless t is f16,
// f32 or f64, the float types whose values are followed through shape arithmetic.
func (t ElementType) Round(x float64) (float64, bool) {
	switch t {
	case F16:
		return float64(half.F16ToF32(half.F32ToF16(float32(x)))), true
	case F32:
		return float64(float32(x)), true
	}
	return x, t == F64
}

// realIntervals returns the bounds of the elements of t, encoded by CodeOf; nil unless t is
// f16, f32 or f64. An infinity or a NaN has no bounds.
func realIntervals(t *Tensor) []Interval {
	if _, followed := t.elementType.Round(0); !followed {
		return nil
	}
	values := make([]Interval, t.Len())
	for i := range values {
		var x float64
		switch t.elementType {
		case F16:
			x = float64(half.F16ToF32(Data[uint16](t)[i]))
		case F32:
			x = float64(Data[float32](t)[i])
		case F64:
			x = Data[float64](t)[i]
		}
		values[i] = Interval{math.MinInt64, math.MaxInt64}
		if x-x == 0 { // finite
			values[i] = Interval{CodeOf(x), CodeOf(x)}
		}
	}
	return values
}

// tensorOfReals returns a tensor of values, which are all known. It returns nil if their number
// does not match the shape, or if t is not f16, f32 or f64.
func tensorOfReals(t ElementType, shape Shape, values []Interval) *Tensor {
	if _, followed := t.Round(0); !followed {
		return nil
	}
	if shape.Elements() != len(values) {
		return nil
	}
	tensor, err := NewTensor(t, shape...)
	if err != nil {
		return nil
	}
	for i, v := range values {
		switch x := RealOf(v.Min); t {
		case F16:
			Data[uint16](tensor)[i] = half.F32ToF16(float32(x))
		case F32:
			Data[float32](tensor)[i] = float32(x)
		case F64:
			Data[float64](tensor)[i] = x
		}
	}
	return tensor
}
