package multinomial

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ir.Inference) error {
	probs, samples := &in.Inputs[0], &in.Inputs[1]
	if err := check.Real("probs", probs.Type); err != nil {
		return err
	}
	if err := check.Integer("num_samples", samples.Type); err != nil {
		return err
	}
	if err := check.Rank("probs", probs.Shape, 2); err != nil {
		return err
	}
	if err := check.OneElement("num_samples", samples.Shape); err != nil {
		return err
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = in.Attributes.(attributes).outputType, ir.UnknownRank
	if !probs.Shape.RankKnown() {
		return nil
	}
	n := ir.AnyDim
	if values := samples.Intervals(); len(values) == 1 {
		var err error
		if n, err = lengthOf(values[0], check.Constant(in.Layer, 1)); err != nil {
			return err
		}
	}
	in.Outputs[0].Shape = ir.ShapeOf(probs.Shape.At(0), n)
	return nil
}

// lengthOf returns num_samples as a length. OpenVINO reads negative numbers of a
// Constant as lengths too, and refuses others.
func lengthOf(v ir.Interval, constant bool) (ir.Dimension, error) {
	if constant {
		return ir.DimOf(v), nil
	}
	return check.Length("num_samples", v)
}
