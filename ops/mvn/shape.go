package mvn

import (
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	data := &in.Inputs[0]
	if len(in.Inputs) > 1 {
		if err := check.AxesIfStatic(in.Inputs[1].Shape, data.Shape); err != nil {
			return err
		}
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = data.Type, data.Shape
	return nil
}
