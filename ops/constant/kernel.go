package constant

import (
	"errors"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// prepare copies the value, for a caller that wants it in memory of its own.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	value := p.Layer.Constant
	if value == nil {
		return nil, errors.New("the value of the Constant is not known: the model was read without its .bin")
	}
	if value.ElementType() == ir.String {
		return &ops.Prepared{Kernel: func(r *ops.Run) error {
			copy(r.Outputs[0].Strings(), value.Strings())
			return nil
		}}, nil
	}
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		copy(r.Outputs[0].Bytes(), value.Bytes())
		return nil
	}}, nil
}
