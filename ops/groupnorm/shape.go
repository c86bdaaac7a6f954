package groupnorm

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	data, scale, bias := in.Inputs[0].Shape, in.Inputs[1].Shape, in.Inputs[2].Shape
	if err := check.Rank("scale", scale, 1); err != nil {
		return err
	}
	if err := check.Rank("bias", bias, 1); err != nil {
		return err
	}
	if data.RankKnown() {
		if data.Rank() < 2 {
			return faults.Errorf("data has shape %v, which has no axis of channels", data)
		}
		channels := data.At(1)
		for i, name := range []string{"scale", "bias"} {
			if vector := in.Inputs[i+1].Shape; !channels.Compatible(vector.At(0)) {
				return faults.Errorf("%s has shape %v, not the length of the channels of data, %v", name, vector, data)
			}
		}
		if groups := in.Attributes.(attributes).groups; channels.IsStatic() && (channels.Min < groups || channels.Min%groups != 0) {
			return faults.Errorf("data has shape %v, whose channels do not make %d groups", data, groups)
		}
	}
	if !scale.Compatible(bias) {
		return faults.Errorf("scale has shape %v, bias has shape %v", scale, bias)
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = in.Inputs[0].Type, data
	return nil
}
