package reverse

import (
	"errors"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/movement"
)

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(attributes)
	shape := p.InputShape(0)
	axes, known := p.Inputs[1].Ints()
	if !known {
		return nil, errors.New("reversed_axes is not known")
	}
	if at.mask && len(axes) != len(shape) {
		return nil, faults.Errorf("reversed_axes has %d elements, data of shape %v has %d axes", len(axes), shape, len(shape))
	}
	view, err := viewOf(at, shape, axes)
	if err != nil {
		return nil, err
	}
	return &ops.Prepared{Kernel: movement.Kernel(p.Outputs[0].Type, view)}, nil
}
