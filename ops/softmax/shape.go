package softmax

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ops"
)

func infer(in *ops.Inference) error {
	data, at := &in.Inputs[0], in.Attributes.(attributes)
	if data.Shape.RankKnown() {
		// A scalar counts as a vector.
		if _, err := index.Axis(at.axis, max(data.Shape.Rank(), 1)); err != nil {
			return err
		}
		if at.fromFront && at.axis < 0 {
			return faults.Errorf("axis %d is negative", at.axis)
		}
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = data.Type, data.Shape
	return nil
}
