package matrixnms

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/detection"
)

func infer(in *ops.Inference) error {
	at := in.Attributes.(*attributes)
	if err := detection.CheckBoxTypes(in.Inputs); err != nil {
		return err
	}
	boxes, scores := in.Inputs[0].Shape, in.Inputs[1].Shape
	if err := detection.CheckBoxes(boxes, scores, 3, 4); err != nil {
		return err
	}
	selected, batches := ir.AnyDim, ir.AnyDim
	if boxes.RankKnown() {
		// Like OpenVINO, check the limits only if the rank of boxes is known.
		for _, limit := range []struct {
			name  string
			value int64
		}{{"nms_top_k", at.nmsTopK}, {"keep_top_k", at.keepTopK}, {"background_class", at.backgroundClass}} {
			if limit.value < -1 {
				return faults.Errorf("%s is %d, below -1", limit.name, limit.value)
			}
		}
		batches = boxes.At(0)
		if scores.RankKnown() {
			selected = at.selected(boxes.At(1), scores.At(1), scores.At(0))
		}
	}
	return detection.SetPicked(in, selected, batches, in.Inputs[0].Type, at.outputType)
}

// selected returns the number of boxes that are selected.
func (at *attributes) selected(boxes, classes, batches ir.Dimension) ir.Dimension {
	if at.nmsTopK >= 0 {
		boxes = detection.Capped(boxes, at.nmsTopK)
	}
	n := boxes.Mul(classes)
	if at.keepTopK >= 0 {
		n = detection.Capped(n, at.keepTopK)
	}
	return detection.AtMost(n.Mul(batches))
}
