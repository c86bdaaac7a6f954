package matmul

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// wideKernel converts the inputs from H to float32, multiplies them, and converts the product back.
func wideKernel[H ir.Element](
	p *ops.Preparation, q *problem, widen func([]float32, []H), narrow func([]H, []float32),
) (*ops.Prepared, error) {
	var s ops.Scratch
	o := operands{kernel: gemm.New().Lanes(), release: func() {}, stop: p.Stop}
	var steps []ops.Step
	for i, set := range []*func(*ops.Run) []gemm.Lane{&o.a, &o.b} {
		if q.transposed {
			i = 1 - i
		}
		if t := p.Inputs[i].Tensor; t != nil && set == &o.b {
			wide, err := p.Once(t, "wide", sizeOf[float32](t.Len()), func() (any, error) {
				wide := memory.Of[float32](t.Len())
				parallel.Convert(p.Stop, wide, ir.Data[H](t), widen)
				return wide, nil
			})
			if err != nil {
				return nil, err
			}
			elements := cast.Slice[gemm.Lane](wide.([]float32))
			o.constB, o.once = func() []gemm.Lane { return elements }, onceFor(p, t)
			o.b = func(*ops.Run) []gemm.Lane { return elements }
			continue
		}
		shape := p.InputShape(i)
		wide := ops.AreaOf[float32](&s, 1, shape.Elements())
		*set = lanesOf(wide)
		steps = append(steps, ops.Step{N: wide.Len(), Grain: ops.Grain(ops.ConvertCost), Part: func(r *ops.Run, lo, hi int) error {
			widen(wide.In(r)[lo:hi], ir.Data[H](r.Inputs[i])[lo:hi])
			return nil
		}})
	}
	product, algorithm, err := narrowedProduct(p, q, &o, &s, narrow)
	if err != nil {
		return nil, err
	}
	return &ops.Prepared{
		Kernel:       ops.Steps(append(steps, product...)),
		ScratchBytes: s.Bytes(),
		Algorithm:    algorithm,
		Flops:        q.flops(),
	}, nil
}

// narrowedProduct returns the steps that multiply into scratch memory and then convert the product
// to the type of the output, and the name of the algorithm.
func narrowedProduct[H ir.Element](
	p *ops.Preparation, q *problem, o *operands, s *ops.Scratch, narrow func([]H, []float32),
) ([]ops.Step, string, error) {
	shape, err := p.OutputShape(0)
	if err != nil {
		return nil, "", err
	}
	wide := ops.AreaOf[float32](s, 1, shape.Elements())
	o.c = wide.In
	steps, algorithm, err := product(p, q, *o, s)
	return append(steps, ops.Step{N: wide.Len(), Grain: ops.Grain(ops.ConvertCost), Part: func(r *ops.Run, lo, hi int) error {
		narrow(ir.Data[H](r.Outputs[0])[lo:hi], wide.In(r)[lo:hi])
		return nil
	}}), algorithm, err
}
