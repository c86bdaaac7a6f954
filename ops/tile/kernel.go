package tile

import (
	"github.com/vinoir/vinoir/internal/strided"
	"github.com/vinoir/vinoir/ops"
)

func prepare(p *ops.Preparation) (ops.Kernel, error) {
	data, err := p.Inputs[0].Shape.Static()
	if err != nil {
		return nil, err
	}
	shape, err := p.Outputs[0].Shape.Static()
	if err != nil {
		return nil, err
	}
	c := strided.Copy(p.Outputs[0].Type, viewOf(data, shape))
	part := func(r *ops.Run, lo, hi int) error {
		c.Run(r.Outputs[0], r.Inputs[0], lo, hi)
		return nil
	}
	return func(r *ops.Run) error { return r.For(c.Rows, c.Grain, part) }, nil
}
