package roll

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

var names = [...]string{"data", "shift", "axes"}

func infer(in *ops.Inference) error {
	data, shift, axes := &in.Inputs[0], &in.Inputs[1], &in.Inputs[2]
	for i := 1; i < len(in.Inputs); i++ {
		input := &in.Inputs[i]
		if err := check.Index(names[i], input.Type); err != nil {
			return err
		}
		if input.Shape.Rank() > 1 {
			return faults.Errorf("%s has shape %v, not that of a scalar or of a vector", names[i], input.Shape)
		}
	}
	// A scalar shift applies to every axis.
	if s := shift.Shape; s.Rank() != 0 && !s.Compatible(axes.Shape) {
		return faults.Errorf("shift has shape %v, axes has shape %v", s, axes.Shape)
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = data.Type, data.Shape
	if !data.Shape.RankKnown() {
		return nil
	}
	values, _ := axes.Ints()
	for _, v := range values {
		// to OpenVINO, a scalar has one axis
		if _, err := index.Axis(v, max(data.Shape.Rank(), 1)); err != nil {
			return err
		}
	}
	return nil
}
