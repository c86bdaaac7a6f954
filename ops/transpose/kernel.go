package transpose

import (
	"errors"

	"github.com/vinoir/vinoir/internal/strided"
	"github.com/vinoir/vinoir/ops"
)

func prepare(p *ops.Preparation) (ops.Kernel, error) {
	arg, err := p.Inputs[0].Shape.Static()
	if err != nil {
		return nil, err
	}
	order, known := p.Inputs[1].Ints()
	if !known {
		return nil, errors.New("input_order is not known")
	}
	view, err := viewOf(arg, order)
	if err != nil {
		return nil, err
	}
	c := strided.Copy(p.Outputs[0].Type, view)
	part := func(r *ops.Run, lo, hi int) error {
		c.Run(r.Outputs[0], r.Inputs[0], lo, hi)
		return nil
	}
	return func(r *ops.Run) error { return r.For(c.Rows, c.Grain, part) }, nil
}
