package tile

import (
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/movement"
)

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	data := p.InputShape(0)
	shape, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	return &ops.Prepared{Kernel: movement.Kernel(p.Outputs[0].Type, viewOf(data, shape))}, nil
}
