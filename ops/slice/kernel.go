package slice

import (
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/movement"
	"github.com/vinoir/vinoir/ops/internal/slicing"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	data := p.InputShape(0)
	shape, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	view := strided.View{Lengths: shape, Strides: make([]int, len(shape))}
	if shape.Elements() > 0 {
		var err error
		if view, err = slicing.Ranges(p.Inputs[1:]).View(data, shape); err != nil {
			return nil, err
		}
	}
	return &ops.Prepared{Kernel: movement.Kernel(p.Outputs[0].Type, view), MovedBytes: p.PickedBytes()}, nil
}
