package experimentaldetectrontopkrois

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
	rois, probabilities := in.Inputs[0].Shape, in.Inputs[1].Shape
	if err := check.Rank("rois", rois, 2); err != nil {
		return err
	}
	if err := check.Rank("rois_probs", probabilities, 1); err != nil {
		return err
	}
	if err := detection.CheckAxis("rois", rois, 1, 4); err != nil {
		return err
	}
	if err := detection.CheckSame("rois", rois, 0, "rois_probs", probabilities, 0); err != nil {
		return err
	}
	n := ir.DimOfInt(in.Attributes.(attributes).maxROIs)
	return ops.SetOutputs(in, ir.Fact{Type: t, Shape: ir.ShapeOf(n, ir.Dim(4))})
}
