package proposal

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	names := [...]string{"class_probs", "bbox_deltas", "image_shape"}
	for i, rank := range [...]int{4, 4, 1} {
		if err := check.KnownReal(names[i], in.Inputs[i].Type); err != nil {
			return err
		}
		if err := check.Rank(names[i], in.Inputs[i].Shape, rank); err != nil {
			return err
		}
	}
	probs, deltas, image := in.Inputs[0].Shape, in.Inputs[1].Shape, in.Inputs[2].Shape
	if !image.At(0).Compatible(ir.DimRange(3, 4)) {
		return faults.Errorf("image_shape has shape %v, expected 3 or 4 elements", image)
	}
	if probs.RankKnown() && deltas.RankKnown() {
		if want := probs.At(1).Mul(ir.Dim(2)); !deltas.At(1).Compatible(want) {
			return faults.Errorf("bbox_deltas has shape %v: axis 1 is %v, expected %v for class_probs of shape %v",
				deltas, deltas.At(1), want, probs)
		}
	}
	batches, ok := probs.At(0).Merge(deltas.At(0))
	if !ok {
		return faults.Errorf("bbox_deltas has shape %v, class_probs has shape %v: their batches differ", deltas, probs)
	}
	at := in.Attributes.(attributes)
	n, t := batches.Mul(ir.DimOfInt(at.postNMSTopN)), in.Inputs[0].Type
	boxes := ir.Fact{Type: t, Shape: ir.ShapeOf(n, ir.Dim(5))}
	if at.probabilities {
		return ops.SetOutputs(in, boxes, ir.Fact{Type: t, Shape: ir.ShapeOf(n)})
	}
	return ops.SetOutputs(in, boxes)
}
