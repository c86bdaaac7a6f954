package multiclassnms

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/detection"
)

func infer(in *ops.Inference) error {
	at := in.Attributes.(*attributes)
	if err := detection.CheckBoxTypes(in.Inputs[:2]); err != nil {
		return err
	}
	boxes, scores := in.Inputs[0].Shape, in.Inputs[1].Shape
	scoresRank, images := 3, ir.ShapeOfRank(1)
	// With roisnum, boxes has no batch axis: the length of roisnum is the number of images.
	hasROIsNum := len(in.Inputs) == 3
	if hasROIsNum {
		if err := check.KnownIndex("roisnum", in.Inputs[2].Type); err != nil {
			return err
		}
		if err := check.Rank("roisnum", in.Inputs[2].Shape, 1); err != nil {
			return err
		}
		scoresRank, images = 2, in.Inputs[2].Shape
	}
	if err := detection.CheckBoxes(boxes, scores, scoresRank, 4); err != nil {
		return err
	}
	if boxes.RankKnown() && !scores.RankKnown() {
		return faults.Errorf("scores has shape %v, its rank must be known where that of boxes %v is", scores, boxes)
	}
	selected, batches := ir.AnyDim, ir.AnyDim
	if boxes.RankKnown() && images.RankKnown() {
		if hasROIsNum {
			batches = images.At(0)
			selected = at.selected(boxes.At(1), boxes.At(0), batches)
		} else {
			batches = boxes.At(0)
			selected = at.selected(boxes.At(1), scores.At(1), scores.At(0))
		}
	}
	return detection.SetPicked(in, selected, batches, in.Inputs[0].Type, at.outputType)
}

// selected returns the number of boxes that are selected. Like OpenVINO, it ignores keep_top_k if
// the number of boxes of an image has no bound.
func (at *attributes) selected(boxes, classes, images ir.Dimension) ir.Dimension {
	if at.nmsTopK >= 0 {
		boxes = detection.Capped(boxes, at.nmsTopK)
	}
	n := boxes.Mul(classes)
	if at.keepTopK >= 0 && n.Max != ir.Unbounded {
		n.Max = min(n.Max, at.keepTopK)
	}
	return detection.AtMost(n.Mul(images))
}
