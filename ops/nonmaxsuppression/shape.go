package nonmaxsuppression

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/detection"
)

// inferHard is the shape rule of the versions without soft suppression.
func inferHard(in *ops.Inference) error {
	at := in.Attributes.(attributes)
	boxes, scores := in.Inputs[0].Shape, in.Inputs[1].Shape
	if err := detection.CheckLimits(in.Inputs, false); err != nil {
		return err
	}
	if err := detection.CheckBoxes(boxes, scores, 3, 4); err != nil {
		return err
	}
	selected, err := hardSelected(at.version, in.Inputs)
	if err != nil {
		return err
	}
	return ops.SetOutputs(in, ir.Fact{Type: at.outputType, Shape: ir.ShapeOf(selected, ir.Dim(3))})
}

// hardSelected returns the greatest number of boxes that the versions without soft suppression
// select.
func hardSelected(version int, inputs []ir.Fact) (ir.Dimension, error) {
	boxes, scores := inputs[0].Shape, inputs[1].Shape
	if !boxes.RankKnown() || version >= 4 && !scores.RankKnown() {
		return ir.AnyDim, nil
	}
	limit, known, err := detection.MaxOutput(inputs)
	if err != nil {
		return ir.AnyDim, err
	}
	if len(inputs) < 3 {
		known = true // limit is 0
	}
	if version >= 4 {
		if !known || boxes.At(1).IsDynamic() {
			return ir.AnyDim, nil
		}
		return ir.DimOfInt(min(boxes.At(1).Min, limit)).
			Mul(detection.Longest(scores.At(0))).Mul(detection.Longest(scores.At(1))), nil
	}
	all := ir.AnyDim
	if known {
		all = ir.DimOfInt(limit)
	}
	if scores.RankKnown() {
		all = all.Mul(scores.At(1))
	}
	if boxes.At(1).IsDynamic() || all.IsDynamic() {
		return ir.AnyDim, nil
	}
	return ir.Dim(min(boxes.At(1).Min, all.Min)), nil
}

// inferSoft is the shape rule of the versions with soft suppression.
func inferSoft(in *ops.Inference) error {
	if err := detection.CheckLimits(in.Inputs, true); err != nil {
		return err
	}
	for i := range in.Inputs {
		switch in.Inputs[i].Type {
		case ir.Dynamic, ir.F32, ir.F16, ir.BF16:
		default:
			if i != 2 {
				return faults.Errorf("%s is %v, expected f32, f16 or bf16", detection.Names[i], in.Inputs[i].Type)
			}
		}
	}
	if err := detection.CheckBoxes(in.Inputs[0].Shape, in.Inputs[1].Shape, 3, 4); err != nil {
		return err
	}
	selected, err := detection.Selected(in.Inputs)
	if err != nil {
		return err
	}
	return detection.SetSelected(in, selected, in.Attributes.(attributes).outputType)
}
