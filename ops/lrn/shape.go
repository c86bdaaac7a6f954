package lrn

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	data, axes := &in.Inputs[0], &in.Inputs[1]
	// OpenVINO counts all other types as integers here, even strings
	if t := axes.Type; t == ir.Boolean || t.IsReal() {
		return faults.Errorf("axes is %v, not of an integer type", t)
	}
	if err := checkAxes(data.Shape, axes, check.Constant(in.Layer, 1)); err != nil {
		return err
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = data.Type, data.Shape
	return nil
}

// checkAxes checks the axes. If they are not known, it checks the channel axis instead, unless
// they are a Constant without a value.
func checkAxes(data ir.PartialShape, axes *ir.Fact, constant bool) error {
	if err := check.AxesIfStatic(axes.Shape, data); err != nil {
		return err
	}
	values, known := axes.Ints()
	if !known && !constant {
		values = []int64{1}
	}
	for _, axis := range values {
		if data.RankKnown() && max(axis, 0) >= int64(data.Rank()) {
			return faults.Errorf("axis %d is outside data of shape %v", axis, data)
		}
	}
	return nil
}
