package unary

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// prepare chooses the loop for the type and the function.
func prepare(p *ops.Preparation, at attributes) (*ops.Prepared, error) {
	shape, err := p.Outputs[0].Shape.Static()
	if err != nil {
		return nil, err
	}
	n := shape.Elements()
	var kernel ops.Kernel
	switch p.Inputs[0].Type {
	case ir.F32:
		kernel = floatKernel[float32](p, at, n)
	case ir.F64:
		kernel = floatKernel[float64](p, at, n)
	case ir.F16, ir.BF16:
		return halfKernel(p, at, n), nil
	case ir.I8:
		kernel = intKernel[int8](at, n)
	case ir.I16:
		kernel = intKernel[int16](at, n)
	case ir.I32:
		kernel = intKernel[int32](at, n)
	case ir.I64:
		kernel = intKernel[int64](at, n)
	case ir.U8:
		kernel = intKernel[uint8](at, n)
	case ir.U16:
		kernel = intKernel[uint16](at, n)
	case ir.U32:
		kernel = intKernel[uint32](at, n)
	case ir.U64:
		kernel = intKernel[uint64](at, n)
	default: // boolean, for LogicalNot and BitwiseNot
		kernel = loopKernel(n, notBooleans)
	}
	return &ops.Prepared{Kernel: kernel}, nil
}

// A loop sets out[i] to f(data[i]) for every element of out. out may be data.
type loop[T, R any] func(out []R, data []T)

// grain is the number of elements below which a part is not worth another thread.
const grain = 1 << 13

func loopKernel[T, R ir.Element](n int, l loop[T, R]) ops.Kernel {
	return partKernel(n, partOf(l))
}

func partOf[T, R ir.Element](l loop[T, R]) ops.Part {
	return func(r *ops.Run, lo, hi int) error {
		l(ir.Data[R](r.Outputs[0])[lo:hi], ir.Data[T](r.Inputs[0])[lo:hi])
		return nil
	}
}

func partKernel(n int, part ops.Part) ops.Kernel {
	return func(r *ops.Run) error { return r.For(n, grain, part) }
}

// each returns the loop that calls f for every element. It is for functions that cost more than the
// call.
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
func clampLoop[T float | integer](lo, hi T) loop[T, T] {
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
