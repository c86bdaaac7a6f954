package generateproposals

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/detection"
)

func infer(in *ops.Inference) error {
	at := in.Attributes.(attributes)
	if err := checkInputs(in); err != nil {
		return err
	}
	batches := ir.AnyDim
	for _, i := range [...]int{0, 2, 3} {
		if s := in.Inputs[i].Shape; s.RankKnown() {
			// OpenVINO does not compare all batches. It ignores one that differs.
			if merged, ok := batches.Merge(s.At(0)); ok {
				batches = merged
			}
		}
	}
	rois := detection.AtMost(batches.Mul(ir.DimOfInt(at.postNMSCount)))
	t := in.Inputs[0].Type
	return ops.SetOutputs(in,
		ir.Fact{Type: t, Shape: ir.ShapeOf(rois, ir.Dim(4))},
		ir.Fact{Type: t, Shape: ir.ShapeOf(rois)},
		ir.Fact{Type: at.roiNumType, Shape: ir.ShapeOf(batches)})
}

func checkInputs(in *ops.Inference) error {
	names := [...]string{"im_info", "anchors", "deltas", "scores"}
	for i, rank := range [...]int{2, 4, 4, 4} {
		if err := check.Rank(names[i], in.Inputs[i].Shape, rank); err != nil {
			return err
		}
	}
	info, anchors, deltas, scores := in.Inputs[0].Shape, in.Inputs[1].Shape, in.Inputs[2].Shape, in.Inputs[3].Shape
	if info.RankKnown() && !info.At(1).Compatible(ir.DimRange(3, 4)) {
		return faults.Errorf("im_info has shape %v: axis 1 is not of length 3 or 4", info)
	}
	if err := detection.CheckAxis("anchors", anchors, 3, 4); err != nil {
		return err
	}
	if deltas.RankKnown() && scores.RankKnown() {
		if want := scores.At(1).Mul(ir.Dim(4)); !deltas.At(1).Compatible(want) {
			return faults.Errorf("deltas has shape %v: axis 1 is %v, expected %v for scores of shape %v",
				deltas, deltas.At(1), want, scores)
		}
		for _, axis := range [...]int{0, 2, 3} {
			if err := detection.CheckSame("deltas", deltas, axis, "scores", scores, axis); err != nil {
				return err
			}
		}
		if err := detection.CheckSame("deltas", deltas, 0, "im_info", info, 0); err != nil {
			return err
		}
	}
	for axis, of := range [...]int{2, 3, 1} {
		if err := detection.CheckSame("anchors", anchors, axis, "scores", scores, of); err != nil {
			return err
		}
	}
	return nil
}
