package spacetodepth

import (
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/movement"
	"github.com/vinoir/vinoir/ops/internal/spaceblock"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	data := p.InputShape(0)
	view := strided.View{Lengths: []int{0}, Strides: []int{1}}
	if data.Elements() > 0 {
		view = viewOf(p.Attributes.(spaceblock.DepthAttributes), data)
	}
	return &ops.Prepared{Kernel: movement.Kernel(p.Outputs[0].Type, view)}, nil
}
