package shufflechannels

import (
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/movement"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(attributes)
	shape := p.InputShape(0)
	axis, err := index.Axis(at.axis, len(shape))
	if err != nil {
		return nil, err
	}
	view := strided.View{Lengths: []int{0}, Strides: []int{1}}
	if shape.Elements() > 0 { // then group, which divides the length of the axis, fits an int
		view = viewOf(shape, axis, int(at.group))
	}
	return &ops.Prepared{Kernel: movement.Kernel(p.Outputs[0].Type, view)}, nil
}
