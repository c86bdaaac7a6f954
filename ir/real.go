package ir

import (
	"math"

	"github.com/vinoir/vinoir/internal/half"
)

// CodeOf returns x as a bound of an Interval of floats: an integer, in the order of
// the floats, that is 0 for 0 and ^CodeOf(x) for -x. The infinities stand for no
// bound; x must not be NaN.
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

// flip turns the order of negative numbers around, which floats have as sign and
// magnitude.
func flip(b int64) int64 { return b ^ b>>63&math.MaxInt64 }

// Round returns the number of type t nearest to x; false where t is none of the
// floats whose values are followed, which f16, f32 and f64 are.
func (t ElementType) Round(x float64) (float64, bool) {
	switch t {
	case F16:
		return float64(half.F16ToF32(half.F32ToF16(float32(x)))), true
	case F32:
		return float64(float32(x)), true
	}
	return x, t == F64
}

// realIntervals returns the values of a tensor of floats that are followed, nil of
// others. Of an infinity and of NaN nothing is known.
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
		if x-x == 0 {
			values[i] = Interval{CodeOf(x), CodeOf(x)}
		}
	}
	return values
}

// tensorOfReals returns a tensor of floats that are all known; nil if there are not as
// many of them as elements, or if the type is none of the followed ones.
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
