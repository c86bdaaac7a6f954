package nmsrotated

import (
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/detection"
)

func infer(in *ops.Inference) error {
	for i := range in.Inputs {
		checkType := check.Real
		if i == 2 {
			checkType = check.Integer
		}
		if err := checkType(detection.Names[i], in.Inputs[i].Type); err != nil {
			return err
		}
	}
	if err := detection.CheckLimits(in.Inputs, true); err != nil {
		return err
	}
	if err := detection.CheckBoxes(in.Inputs[0].Shape, in.Inputs[1].Shape, 3, 5); err != nil {
		return err
	}
	selected, err := detection.Selected(in.Inputs)
	if err != nil {
		return err
	}
	return detection.SetSelected(in, selected, in.Attributes.(attributes).outputType)
}
