package unary

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// prepare chooses the loop for the type and the function.
func prepare(p *ops.Preparation, at attributes) (*ops.Prepared, error) {
	shape, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	n := shape.Elements()
	if c := widened.Find(conversions(at.f), p.Inputs[0].Type); c != nil {
		return widened.Elementwise(p, c, n, cost, wideLoop(c.To, at)), nil
	}
	switch p.Inputs[0].Type {
	case ir.F32:
		return floatKernel[float32](p, at, n), nil
	case ir.F64:
		return floatKernel[float64](p, at, n), nil
	case ir.I32:
		return intKernel[int32](p, at, n), nil
	case ir.I64:
		return intKernel[int64](p, at, n), nil
	case ir.U64:
		return intKernel[uint64](p, at, n), nil
	default: // boolean, for LogicalNot and BitwiseNot
		return loopKernel(p, n, notBooleans), nil
	}
}

// A loop sets out[i] to f(data[i]) for every element of out. out may be data.
type loop[T, R any] func(out []R, data []T)

// cost is that of an element, see ops.Grain.
const cost = 2

func loopKernel[T, R ir.Element](p *ops.Preparation, n int, l loop[T, R]) *ops.Prepared {
	return ops.Elementwise(p, n, ops.Grain(cost), func(r *ops.Run, x []R, at int) error {
		l(x, ir.Data[T](r.Inputs[0])[at:at+len(x)])
		return nil
	})
}

// wideLoop returns the loop for elements that are converted to type t.
func wideLoop(t ir.ElementType, at attributes) func(out, x, _ []byte) {
	switch {
	case t == ir.I32:
		return onBytes(intLoop[int32](at))
	case t == ir.I64:
		return onBytes(intLoop[int64](at))
	case at.f == isFinite:
		return onBytes(isFiniteLoop[float32])
	case at.f == isInf:
		return onBytes(isInfLoop[float32](at))
	case at.f == isNaN:
		return onBytes(isNaNLoop[float32])
	}
	return onBytes(floatLoop[float32](at))
}

// onBytes returns the function that calls l for the memory of elements.
func onBytes[T, R any](l loop[T, R]) func(out, x, _ []byte) {
	return func(out, x, _ []byte) { l(cast.Bytes[R](out), cast.Bytes[T](x)) }
}

// each returns the loop that calls f for every element. It is for functions that cost more than the
// call. It is not inlined: copies of its loops would take 7.0 KiB.
//
//go:noinline
func each[T any](f func(T) T) loop[T, T] {
	return func(out, data []T) {
		data = data[:len(out)]
		for i, x := range data {
			out[i] = f(x)
		}
	}
}

// notBooleans negates booleans. Every byte except 0 is true.
func notBooleans(out, data []uint8) {
	data = data[:len(out)]
	for i, x := range data {
		out[i] = 1 - min(x, 1)
	}
}

// clampLoop returns the loop of Clamp. NaN becomes the lower limit, as in OpenVINO.
func clampLoop[T cast.Float | integer](lo, hi T) loop[T, T] {
	return func(out, data []T) {
		data = data[:len(out)]
		for i, x := range data {
			if !(x > lo) {
				x = lo
			}
			if x > hi {
				x = hi
			}
			out[i] = x
		}
	}
}
