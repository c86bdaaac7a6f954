package unary

import (
	"math"

	"github.com/vinoir/vinoir/ops"
)

type integer interface {
	int32 | int64 | uint64
}

// intKernel returns the kernel for integers; nil if the function has none.
func intKernel[T integer](p *ops.Preparation, at attributes, n int) *ops.Prepared {
	if l := intLoop[T](at); l != nil {
		return loopKernel(p, n, l)
	}
	return nil
}

func intLoop[T integer](at attributes) loop[T, T] {
	switch at.f {
	case abs:
		return each(func(x T) T {
			if x < 0 {
				return -x
			}
			return x
		})
	case negative:
		return each(func(x T) T { return -x })
	case relu:
		return each(func(x T) T { return max(x, 0) })
	case sign:
		return each(func(x T) T {
			if x < 0 {
				return ^T(0)
			}
			return min(x, 1)
		})
	case clamp:
		return clampIntegers[T](at)
	case floor, ceiling, roundHalfToEven, roundHalfAway:
		return func(out, data []T) { copy(out, data) }
	case bitwiseNot:
		return each(func(x T) T { return ^x })
	case hSigmoid:
		return rounded[T](func(x float64) float64 { return min(max(x+3, 0), 6) / 6 })
	case hSwish:
		return rounded[T](func(x float64) float64 { return x * min(max(x+3, 0), 6) / 6 })
	case elu:
		return eluIntegers[T](at.alpha)
	case geluErf, geluTanh, mish, softPlus, softSign:
		return nil
	}
	if g := real64(at.f); g != nil {
		return rounded[T](g)
	}
	return nil
}

// rounded returns the loop that computes f in float64, rounds to the nearest integer, ties to even,
// and clamps to T. NaN gives 0.
func rounded[T integer](f func(float64) float64) loop[T, T] {
	lo, hi := limits[T]()
	return each(func(x T) T {
		switch y := math.RoundToEven(f(float64(x))); {
		case y >= float64(hi):
			return hi
		case y > float64(lo):
			return T(y)
		case y <= float64(lo):
			return lo
		}
		return 0 // NaN
	})
}

// eluIntegers returns the loop of Elu. Numbers above 0 stay as they are.
func eluIntegers[T integer](alpha float64) loop[T, T] {
	negative := rounded[T](func(x float64) float64 { return alpha * math.Expm1(x) })
	return func(out, data []T) {
		for i, x := range data[:len(out)] {
			if x > 0 {
				out[i] = x
			} else {
				negative(out[i:i+1], data[i:i+1])
			}
		}
	}
}

// clampIntegers returns the loop of Clamp. The limits are rounded to integers between them.
func clampIntegers[T integer](at attributes) loop[T, T] {
	lo, hi := limits[T]()
	within := func(x float64) T {
		switch {
		case x <= float64(lo):
			return lo
		case x >= float64(hi):
			return hi
		}
		return T(x)
	}
	return clampLoop(within(math.Ceil(at.min)), within(math.Floor(at.max)))
}

// limits returns the lowest and the greatest value of T.
func limits[T integer]() (lo, hi T) {
	if ^T(0) > 0 {
		return 0, ^T(0)
	}
	for hi = 1; hi<<1 > hi; hi <<= 1 {
	}
	hi += hi - 1
	return ^hi, hi
}
