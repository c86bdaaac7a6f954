package experimentaldetectronpriorgridgenerator

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/detection"
)

func infer(in *ops.Inference) error {
	t, err := detection.OneRealType(in.Inputs)
	if err != nil {
		return err
	}
	priors, features, image := in.Inputs[0].Shape, in.Inputs[1].Shape, in.Inputs[2].Shape
	if err := check.Rank("priors", priors, 2); err != nil {
		return err
	}
	if err := check.Rank("feature_map", features, 4); err != nil {
		return err
	}
	if err := check.Rank("im_data", image, 4); err != nil {
		return err
	}
	if err := detection.CheckAxis("priors", priors, 1, 4); err != nil {
		return err
	}
	if err := detection.CheckSame("feature_map", features, 0, "im_data", image, 0); err != nil {
		return err
	}
	height, width, count := features.At(2), features.At(3), priors.At(0)
	shape := ir.ShapeOf(height, width, count, ir.Dim(4))
	if in.Attributes.(attributes).flatten {
		all := ir.AnyDim
		if priors.RankKnown() && features.RankKnown() {
			all = height.Mul(width).Mul(count)
		}
		shape = ir.ShapeOf(all, ir.Dim(4))
	}
	return ops.SetOutputs(in, ir.Fact{Type: t, Shape: shape})
}
