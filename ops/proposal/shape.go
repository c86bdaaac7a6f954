package proposal

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/detection"
)

func infer(in *ir.Inference) error {
	names := [...]string{"class_probs", "bbox_deltas", "image_shape"}
	for i, rank := range [...]int{4, 4, 1} {
		if t := in.Inputs[i].Type; !t.IsReal() {
			return fmt.Errorf("%s is %v, not a floating-point type", names[i], t)
		}
		if err := check.Rank(names[i], in.Inputs[i].Shape, rank); err != nil {
			return err
		}
	}
	probs, deltas, image := in.Inputs[0].Shape, in.Inputs[1].Shape, in.Inputs[2].Shape
	if image.RankKnown() && !image.At(0).Compatible(ir.DimRange(3, 4)) {
		return fmt.Errorf("image_shape has %v numbers, expected 3 or 4", image.At(0))
	}
	batches := ir.AnyDim
	if probs.RankKnown() {
		batches = probs.At(0)
		if want := probs.At(1).Mul(ir.Dim(2)); deltas.RankKnown() && !deltas.At(1).Compatible(want) {
			return fmt.Errorf("bbox_deltas has shape %v: axis 1 is %v, expected %v for class_probs of shape %v",
				deltas, deltas.At(1), want, probs)
		}
	}
	if deltas.RankKnown() {
		var ok bool
		if batches, ok = batches.Merge(deltas.At(0)); !ok {
			return fmt.Errorf("bbox_deltas has shape %v, class_probs has shape %v: their batches differ", deltas, probs)
		}
	}
	at := in.Attributes.(attributes)
	n, t := batches.Mul(detection.Length(at.postNMSTopN)), in.Inputs[0].Type
	boxes := ir.Fact{Type: t, Shape: ir.ShapeOf(n, ir.Dim(5))}
	if at.probabilities {
		return ops.SetOutputs(in, boxes, ir.Fact{Type: t, Shape: ir.ShapeOf(n)})
	}
	return ops.SetOutputs(in, boxes)
}
