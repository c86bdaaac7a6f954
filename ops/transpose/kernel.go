package transpose

import (
	"errors"

	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/movement"
)

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	arg := p.InputShape(0)
	order, known := p.Inputs[1].Ints()
	if !known {
		return nil, errors.New("input_order is not known")
	}
	view, err := viewOf(arg, order)
	if err != nil {
		return nil, err
	}
	return &ops.Prepared{Kernel: movement.Kernel(p.Outputs[0].Type, view)}, nil
}
