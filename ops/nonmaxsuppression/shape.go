package nonmaxsuppression

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/detection"
)

// inferHard infers the versions without soft suppression.
func inferHard(in *ir.Inference) error {
	at := in.Attributes.(attributes)
	boxes, scores := in.Inputs[0].Shape, in.Inputs[1].Shape
	if err := detection.CheckNumbers(in.Inputs, false); err != nil {
		return err
	}
	if err := detection.CheckBoxes(boxes, scores, 3, 4); err != nil {
		return err
	}
	limit, known, err := detection.MaxOutput(in.Inputs)
	if err != nil {
		return err
	}
	if len(in.Inputs) < 3 {
		known = true // 0
	}
	selected := ir.AnyDim
	if boxes.RankKnown() && boxes.At(1).IsStatic() {
		selected = hard(at.version, boxes.At(1).Min, scores, limit, known)
	}
	return ops.SetOutputs(in, ir.Fact{Type: at.outputType, Shape: ir.ShapeOf(selected, ir.Dim(3))})
}

// hard returns the number of boxes that are selected out of a known number.
func hard(version int, boxes int64, scores ir.PartialShape, limit int64, known bool) ir.Dimension {
	if version >= 4 {
		if !known || !scores.RankKnown() {
			return ir.AnyDim
		}
		return detection.Length(min(boxes, limit)).
			Mul(detection.Longest(scores.At(0))).Mul(detection.Longest(scores.At(1)))
	}
	all := ir.AnyDim
	if known {
		all = detection.Length(limit)
	}
	if scores.RankKnown() {
		all = all.Mul(scores.At(1))
	}
	if all.IsDynamic() {
		return ir.AnyDim
	}
	return ir.Dim(min(boxes, all.Min))
}

// inferSoft infers the versions with soft suppression.
func inferSoft(in *ir.Inference) error {
	if err := detection.CheckNumbers(in.Inputs, true); err != nil {
		return err
	}
	for i := range in.Inputs {
		switch in.Inputs[i].Type {
		case ir.Dynamic, ir.F32, ir.F16, ir.BF16:
		default:
			if i != 2 {
				return fmt.Errorf("input %d is %v, expected f32, f16 or bf16", i, in.Inputs[i].Type)
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
	t, rows := in.Attributes.(attributes).outputType, ir.ShapeOf(selected, ir.Dim(3))
	return ops.SetOutputs(in,
		ir.Fact{Type: t, Shape: rows},
		ir.Fact{Type: ir.F32, Shape: rows},
		ir.Fact{Type: t, Shape: ir.StaticShape(1)})
}
