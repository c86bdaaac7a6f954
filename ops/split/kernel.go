package split

import (
	"errors"

	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

// prepare returns a kernel that copies a piece of data to each output.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	axis, known, err := axisOf(&p.Inputs[1], p.Inputs[0].Shape)
	if err != nil {
		return nil, err
	}
	if !known {
		return nil, errors.New("axis is not known")
	}
	data := p.InputShape(0)
	strides := strided.Strides(data)
	copies, parts, at := make([]*strided.Copier, len(p.Outputs)), make([]ops.Part, len(p.Outputs)), 0
	for k := range p.Outputs {
		shape, err := p.OutputShape(k)
		if err != nil {
			return nil, err
		}
		c := strided.Copy(p.Outputs[k].Type, strided.View{Offset: at, Lengths: shape, Strides: strides})
		copies[k] = c
		parts[k] = func(r *ops.Run, lo, hi int) error {
			c.Run(r.Stop, r.Outputs[k], r.Inputs[0], lo, hi)
			return nil
		}
		at += shape[axis] * strides[axis]
	}
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		for k, c := range copies {
			if err := r.For(c.Rows, c.Grain, parts[k]); err != nil {
				return err
			}
		}
		return nil
	}}, nil
}

// pieces returns the element of data at which each output starts; nil if the pieces are not
// contiguous, because data has more than one row before the axis.
func pieces(p *ops.Preparation) []int {
	axis, known, err := axisOf(&p.Inputs[1], p.Inputs[0].Shape)
	if err != nil || !known {
		return nil
	}
	if p.InputShape(0)[:axis].Elements() != 1 {
		return nil
	}
	starts, at := make([]int, len(p.Outputs)), 0
	for k := range p.Outputs {
		shape, err := p.OutputShape(k)
		if err != nil {
			return nil
		}
		starts[k], at = at, at+shape.Elements()
	}
	return starts
}
