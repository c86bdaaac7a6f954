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
	steps := make([]ops.Step, m.Steps())
	for step := range steps {
		part := func(r *ops.Run, worker, lo, hi int) error {
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
		steps[step] = ops.Step{N: m.Items(step), Grain: 1, WorkerPart: part, Workers: m.Workers()}
	}
	prepared.Kernel = Kernel(epilogue, steps...)
	return prepared, nil
}

// Kernel returns the kernel of steps that call epilogue. The first call, which allocates, is before
// them.
func Kernel(epilogue func(*ops.Run) *conv.Epilogue, steps ...ops.Step) ops.Kernel {
	run := ops.Steps(steps)
	return func(r *ops.Run) error {
		epilogue(r)
		return run(r)
	}
}

// Direct returns the kernel of a convolution that adds rows to n planes and then applies the
// stages. It is for float64, and for layers that need too much memory otherwise.
func Direct(p *ops.Preparation, n, grain int, f32 floats.Func[float32], f64 floats.Func[float64]) *ops.Prepared {
	prepared := floats.Kernel(p, 2, n, grain, f32, f64)
	prepared.Kernel = p.Finished(prepared.Kernel)
	return prepared
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
