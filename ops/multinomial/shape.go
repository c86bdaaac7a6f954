package multinomial

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
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
	n, err := check.LengthOf(in, 1, "num_samples")
	in.Outputs[0].Shape = ir.ShapeOf(probs.Shape.At(0), n)
	return err
}
