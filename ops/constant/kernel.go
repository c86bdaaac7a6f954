package constant

import (
	"errors"

	"github.com/vinoir/vinoir/ops"
)

// prepare returns a kernel that copies the value to the output.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	value := p.Layer.Constant
	if value == nil {
		return nil, errors.New("the value of the Constant is not known: the model was read without its .bin")
	}
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		r.Copy(r.Outputs[0], value)
		return nil
	}}, nil
}
