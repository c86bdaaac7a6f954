package reduce

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// prepare returns a kernel that adds each element of data to an accumulator that is wider than
// the element type, and then converts the accumulators:
//
//	for each element i: acc[target(i)] = f(acc[target(i)], data[i])
//
// passesKernel returns the kernel of f32 data that is not empty.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(attributes)
	shape := p.InputShape(0)
	axes, known := p.Inputs[1].Ints()
	if !known {
		return nil, faults.Errorf("the axes are not known")
	}
	set, err := axisSet(axes, len(shape), at.keepDims)
	if err != nil {
		return nil, err
	}
	w := newWalk(shape, set)
	if p.Inputs[0].Type == ir.F32 && shape.Elements() > 0 {
		return passesKernel(p, at.kind, w)
	}
	var s ops.Scratch
	kernel := accumulatorKernel(p, at.kind, w, &s)
	return &ops.Prepared{Kernel: kernel, ScratchBytes: s.Bytes()}, nil
}

const (
	// runPiece is the number of elements of a run that are accumulated between two checks of
	// Run.Stop.
	runPiece = 1 << 20
	// targetPiece is runPiece for accumulators that are set, or turned into elements.
	targetPiece = 1 << 16
)

// accumulatorKernel returns the kernel that reduces in accumulators of 64 bits.
func accumulatorKernel(p *ops.Preparation, k kind, w walk, s *ops.Scratch) ops.Kernel {
	switch p.Inputs[0].Type {
	case ir.F32: // without elements
		return p.Finished(emptyKernel(k, &w))
	case ir.F64:
		return kernel[float64](s, k, w, math.Inf(-1), math.Inf(1))
	case ir.F16:
		return halfKernel(s, k, w, half.F32ToF16)
	case ir.BF16:
		return halfKernel(s, k, w, half.BFloat16Of)
	case ir.I32:
		return kernel[int32](s, k, w, int64(math.MinInt32), math.MaxInt32)
	case ir.I64:
		return kernel[int64](s, k, w, int64(math.MinInt64), math.MaxInt64)
	case ir.Boolean:
		return kernel[uint8](s, k, w, uint64(0), math.MaxUint8)
	default: // u64
		return kernel[uint64](s, k, w, uint64(0), math.MaxUint64)
	}
}

// kernel returns the kernel for elements of type T and accumulators of type A. lowest and
// greatest are the limits of T.
func kernel[T cast.Number, A accumulator](s *ops.Scratch, k kind, w walk, lowest, greatest A) ops.Kernel {
	start, accumulators := startOf(k, lowest, greatest), ops.AreaOf[A](s, w.targets)
	part := func(r *ops.Run, lo, hi int) error {
		data := ir.Data[T](r.Inputs[0])
		acc := accumulators.In(r)
		from, to := lo*w.partTargets, hi*w.partTargets
		meter := r.Stop.Meter()
		if fill(&meter, acc[from:to], start); len(data) > 0 {
			for run := lo * w.runs; run < hi*w.runs; run++ {
				for at := 0; at < w.run; at += runPiece {
					n := min(runPiece, w.run-at)
					if meter.Spent(n + w.runWork) {
						return nil
					}
					to := w.target(run)
					if !w.runReduced {
						to += at
					}
					accumulate(k, acc[to:], data[run*w.run+at:][:n], w.runReduced)
				}
			}
		}
		for lo := from; lo < to; lo += targetPiece {
			hi := min(lo+targetPiece, to)
			if meter.Spent(4 * (hi - lo)) {
				return nil
			}
			finish(k, acc[lo:hi], w.count)
			out := ir.Data[T](r.Outputs[0])[lo:hi]
			for i, a := range acc[lo:hi] {
				out[i] = T(a)
			}
		}
		return nil
	}
	grain := w.grain()
	return func(r *ops.Run) error { return r.For(w.parts, grain, part) }
}

// emptyKernel returns the kernel that reduces no elements of f32.
func emptyKernel(k kind, w *walk) ops.Kernel {
	acc := []float64{startOf(k, math.Inf(-1), math.Inf(1))}
	finish(k, acc, w.count)
	result := float32(acc[0])
	return func(r *ops.Run) error {
		out := ir.Data[float32](r.Outputs[0])
		meter := r.Stop.Meter()
		for i := range out {
			if out[i] = result; meter.Spent(1) {
				return parallel.ErrStopped
			}
		}
		return nil
	}
}

// halfKernel is kernel for the 16-bit floating-point types. store rounds to T.
func halfKernel[T ir.Element](s *ops.Scratch, k kind, w walk, store func(float32) T) ops.Kernel {
	start, accumulators := startOf(k, math.Inf(-1), math.Inf(1)), ops.AreaOf[float64](s, w.targets)
	part := func(r *ops.Run, lo, hi int) error {
		acc := accumulators.In(r)
		from, to := lo*w.partTargets, hi*w.partTargets
		meter := r.Stop.Meter()
		if fill(&meter, acc[from:to], start); r.Inputs[0].Len() > 0 {
			for run := lo * w.runs; run < hi*w.runs; run++ {
				accumulateHalf(&meter, k, &w, acc, r.Inputs[0], run)
			}
		}
		for lo := from; lo < to; lo += targetPiece {
			hi := min(lo+targetPiece, to)
			if meter.Spent(4 * (hi - lo)) {
				return nil
			}
			finish(k, acc[lo:hi], w.count)
			out := ir.Data[T](r.Outputs[0])[lo:hi]
			for i, a := range acc[lo:hi] {
				out[i] = store(float32(a))
			}
		}
		return nil
	}
	grain := w.grain()
	return func(r *ops.Run) error { return r.For(w.parts, grain, part) }
}

// accumulateHalf accumulates one run of a 16-bit floating-point type, a piece at a time. The
// piece stays on the stack because it is not passed to a function value.
func accumulateHalf(meter *parallel.Meter, k kind, w *walk, acc []float64, data *ir.Tensor, run int) {
	var piece [256]float32
	at := w.target(run)
	for lo := 0; lo < w.run; lo += len(piece) {
		n := min(len(piece), w.run-lo)
		if meter.Spent(n + w.runWork) {
			return
		}
		from := run*w.run + lo
		if data.ElementType() == ir.BF16 {
			half.BF16sToF32s(piece[:n], ir.Data[half.BFloat16](data)[from:from+n])
		} else {
			half.F16sToF32s(piece[:n], ir.Data[uint16](data)[from:from+n])
		}
		to := at
		if !w.runReduced {
			to += lo
		}
		accumulate(k, acc[to:], piece[:n], w.runReduced)
	}
}
