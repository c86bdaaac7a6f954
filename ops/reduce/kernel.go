package reduce

import (
	"fmt"
	"math"

	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/rows"
)

// prepare finds where each element of data goes:
//
//	for each element i: acc[target(i)] = f(acc[target(i)], data[i])
//
// in an accumulator that is wider than the type, then converts the accumulators.
func prepare(p *ops.Preparation) (ops.Kernel, error) {
	at := p.Attributes.(attributes)
	shape, err := p.Inputs[0].Shape.Static()
	if err != nil {
		return nil, err
	}
	axes, known := p.Inputs[1].Ints()
	if !known {
		return nil, fmt.Errorf("the axes are not known")
	}
	set, err := axisSet(axes, len(shape))
	if err != nil {
		return nil, err
	}
	w := newWalk(shape, set)
	if w.targets > math.MaxInt/8 {
		return nil, fmt.Errorf("%d accumulators are more than fit memory", w.targets)
	}
	p.ScratchBytes = w.targets * 8
	switch p.Inputs[0].Type {
	case ir.F32:
		return kernel[float32](at.kind, w, math.Inf(-1), math.Inf(1)), nil
	case ir.F64:
		return kernel[float64](at.kind, w, math.Inf(-1), math.Inf(1)), nil
	case ir.F16:
		return halfKernel(at.kind, w, half.F16sToF32s, half.F32ToF16), nil
	case ir.BF16:
		return halfKernel(at.kind, w, half.BF16sToF32s, half.BFloat16Of), nil
	case ir.I8:
		return kernel[int8](at.kind, w, int64(math.MinInt8), math.MaxInt8), nil
	case ir.I16:
		return kernel[int16](at.kind, w, int64(math.MinInt16), math.MaxInt16), nil
	case ir.I32:
		return kernel[int32](at.kind, w, int64(math.MinInt32), math.MaxInt32), nil
	case ir.I64:
		return kernel[int64](at.kind, w, int64(math.MinInt64), math.MaxInt64), nil
	case ir.U8, ir.Boolean:
		return kernel[uint8](at.kind, w, uint64(0), math.MaxUint8), nil
	case ir.U16:
		return kernel[uint16](at.kind, w, uint64(0), math.MaxUint16), nil
	case ir.U32:
		return kernel[uint32](at.kind, w, uint64(0), math.MaxUint32), nil
	case ir.U64:
		return kernel[uint64](at.kind, w, uint64(0), math.MaxUint64), nil
	}
	return nil, fmt.Errorf("data is %v, which is not computed", p.Inputs[0].Type)
}

// kernel returns the kernel for elements T in accumulators A, where lowest and
// greatest are the extremes of T.
func kernel[T number, A accumulator](k kind, w walk, lowest, greatest A) ops.Kernel {
	start := startOf(k, lowest, greatest)
	return func(r *ops.Run) error {
		data, out := ir.Data[T](r.Inputs[0]), ir.Data[T](r.Outputs[0])
		acc := rows.Cast[A](r.Scratch)[:len(out)]
		fill(acc, start)
		for run := 0; len(data) > 0; run++ {
			take(k, acc[w.target(run):], data[:w.run], w.runReduced)
			data = data[w.run:]
		}
		finish(k, acc, w.count)
		for i, a := range acc {
			out[i] = T(a)
		}
		return nil
	}
}

// halfKernel is kernel for the 16-bit floating-point types, a piece of a run at a
// time.
func halfKernel[T ~uint16](k kind, w walk, load func([]float32, []T), store func(float32) T) ops.Kernel {
	start := startOf(k, math.Inf(-1), math.Inf(1))
	return func(r *ops.Run) error {
		data, out := ir.Data[T](r.Inputs[0]), ir.Data[T](r.Outputs[0])
		acc := rows.Cast[float64](r.Scratch)[:len(out)]
		fill(acc, start)
		var piece [256]float32
		for run := 0; len(data) > 0; run++ {
			at := w.target(run)
			for lo := 0; lo < w.run; lo += len(piece) {
				n := min(len(piece), w.run-lo)
				load(piece[:n], data[lo:lo+n])
				if w.runReduced {
					take(k, acc[at:], piece[:n], true)
				} else {
					take(k, acc[at+lo:], piece[:n], false)
				}
			}
			data = data[w.run:]
		}
		finish(k, acc, w.count)
		for i, a := range acc {
			out[i] = store(float32(a))
		}
		return nil
	}
}
