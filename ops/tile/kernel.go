package tile

import (
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/movement"
)

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	data, err := p.Inputs[0].Shape.Static()
	if err != nil {
		return nil, err
	}
	shape, err := p.Outputs[0].Shape.Static()
	if err != nil {
		return nil, err
	}
	return &ops.Prepared{Kernel: movement.Kernel(p.Outputs[0].Type, viewOf(data, shape))}, nil
}
