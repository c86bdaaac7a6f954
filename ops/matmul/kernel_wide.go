package matmul

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// wideKernel converts the inputs to float32, multiplies them, and converts the product back. A
// constant is converted once for all shapes of the other input, which package widened does not do.
func wideKernel(p *ops.Preparation, q *problem, c *widened.Conversion) (*ops.Prepared, error) {
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
				c.Load(p.Stop, cast.Memory(wide), t, 0)
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
			c.Load(nil, cast.Memory(wide.In(r)[lo:hi]), r.Inputs[i], lo)
			return nil
		}})
	}
	product, algorithm, err := narrowedProduct(p, q, &o, &s, c)
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
func narrowedProduct(p *ops.Preparation, q *problem, o *operands, s *ops.Scratch, c *widened.Conversion) ([]ops.Step, string, error) {
	shape, err := p.OutputShape(0)
	if err != nil {
		return nil, "", err
	}
	wide := ops.AreaOf[float32](s, 1, shape.Elements())
	o.c = wide.In
	steps, algorithm, err := product(p, q, *o, s)
	return append(steps, ops.Step{N: wide.Len(), Grain: ops.Grain(ops.ConvertCost), Part: func(r *ops.Run, lo, hi int) error {
		c.Store(nil, r.Outputs[0], lo, cast.Memory(wide.In(r)[lo:hi]))
		return nil
	}}), algorithm, err
}
