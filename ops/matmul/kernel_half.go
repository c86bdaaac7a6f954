package matmul

import (
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// convertGrain is the number of elements whose conversion is worth another thread.
const convertGrain = 1 << 14

// halfKernel converts the inputs to float32, multiplies them, and rounds the product.
func halfKernel[H uint16 | half.BFloat16](
	p *ops.Preparation, q *problem, widen func([]float32, []H), round func([]H, []float32),
) (*ops.Prepared, error) {
	var s scratch
	o := operands[float32]{release: func() {}, stop: p.Stop}
	var steps []step
	for i, set := range []*func(*ops.Run) []float32{&o.a, &o.b} {
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
			elements := wide.([]float32)
			o.constB, o.once = func() []float32 { return elements }, onceFor(p, t)
			o.b = func(*ops.Run) []float32 { return elements }
			continue
		}
		shape, err := p.Inputs[i].Shape.Static()
		if err != nil {
			return nil, err
		}
		wide, err := take[float32](&s, 1, shape.Elements())
		if err != nil {
			return nil, err
		}
		*set = wide.of
		steps = append(steps, step{n: wide.n, grain: convertGrain, part: func(r *ops.Run, lo, hi int) error {
			widen(wide.of(r)[lo:hi], ir.Data[H](r.Inputs[i])[lo:hi])
			return nil
		}})
	}
	product, algorithm, err := roundedProduct(p, q, &o, &s, round)
	if err != nil {
		return nil, err
	}
	return &ops.Prepared{
		Kernel:       kernelOfSteps(append(steps, product...)),
		ScratchBytes: s.bytes,
		Algorithm:    algorithm,
		Flops:        q.flops(),
	}, nil
}

// roundedProduct returns the steps that multiply into scratch memory and then round the product to
// the output, and the name of the algorithm.
func roundedProduct[H uint16 | half.BFloat16](
	p *ops.Preparation, q *problem, o *operands[float32], s *scratch, round func([]H, []float32),
) ([]step, string, error) {
	shape, err := p.Outputs[0].Shape.Static()
	if err != nil {
		return nil, "", err
	}
	wide, err := take[float32](s, 1, shape.Elements())
	if err != nil {
		return nil, "", err
	}
	o.c = wide.of
	steps, algorithm, err := product(p, q, *o, s)
	return append(steps, step{n: wide.n, grain: convertGrain, part: func(r *ops.Run, lo, hi int) error {
		round(ir.Data[H](r.Outputs[0])[lo:hi], wide.of(r)[lo:hi])
		return nil
	}}), algorithm, err
}
