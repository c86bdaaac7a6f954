package cumsum

import (
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	if err := check.KnownIndex("axis", in.Inputs[1].Type); err != nil {
		return err
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = in.Inputs[0].Type, in.Inputs[0].Shape
	return nil
}
