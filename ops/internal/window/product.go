package window

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/conv/implicit"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/floats"
)

// Product returns the kernel of a convolution of data, input 0, with filters, input 1, that m
// computes by the given algorithm.
func Product(p *ops.Preparation, m implicit.Product, algorithm string, epilogue func(*ops.Run) *conv.Epilogue) (*ops.Prepared, error) {
	prepared := &ops.Prepared{Algorithm: algorithm, ScratchBytes: m.ScratchBytes()}
	var packed []gemm.Lane
	constant := p.Inputs[1].Tensor
	if constant != nil {
		once, err := p.Once(constant, m.Key(), 4*int64(m.FiltersLen()), func() (any, error) {
			return m.PackFilters(p.Stop, cast.Slice[gemm.Lane](ir.Data[float32](constant))), nil
		})
		if err != nil {
			return nil, err
		}
		packed = once.([]gemm.Lane)
		prepared.Released = []int{1}
	}
	parts := make([]ops.WorkerPart, m.Steps())
	for step := range parts {
		parts[step] = func(r *ops.Run, worker, lo, hi int) error {
			c := implicit.Call{
				In: cast.Slice[gemm.Lane](ir.Data[float32](r.Inputs[0])), Out: ir.Data[float32](r.Outputs[0]), Filters: packed,
				Scratch: r.Scratch, Epilogue: epilogue(r), Stop: r.Stop,
			}
			if packed == nil {
				c.Filters = cast.Slice[gemm.Lane](ir.Data[float32](r.Inputs[1]))
			}
			m.Do(step, c, worker, lo, hi)
			return nil
		}
	}
	prepared.Kernel = func(r *ops.Run) error {
		epilogue(r)
		for step, part := range parts {
			if err := r.ForWorkers(m.Items(step), 1, m.Workers(), part); err != nil {
				return err
			}
		}
		return nil
	}
	return prepared, nil
}

// Direct returns the kernel of a convolution that adds rows to n planes and then applies the
// stages. It is for float64, and for layers that need too much memory otherwise.
func Direct(p *ops.Preparation, n, grain int, f32 floats.Func[float32], f64 floats.Func[float64]) *ops.Prepared {
	prepared := floats.Kernel(p, 2, n, grain, f32, f64)
	prepared.Kernel = Finished(p, prepared.Kernel)
	return prepared
}

// Finished returns a kernel that calls kernel and then applies all stages.
func Finished(p *ops.Preparation, kernel ops.Kernel) ops.Kernel {
	finish := p.Finish()
	if finish == nil {
		return kernel
	}
	return func(r *ops.Run) error {
		if err := kernel(r); err != nil {
			return err
		}
		ops.FinishAll(r, finish)
		return nil
	}
}

// Axes converts the axes to those of package conv.
func (v *Volume) Axes() (axes [3]conv.Axis) {
	for i, a := range v {
		axes[i] = conv.Axis{
			Input: a.Input, Output: a.Output, Kernel: a.Kernel,
			Stride: a.Stride, Dilation: a.Dilation, PadBegin: a.PadBegin,
		}
	}
	return axes
}
