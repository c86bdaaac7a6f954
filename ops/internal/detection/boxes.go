package detection

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// CheckBoxes checks boxes, of shape [N,boxes,coordinates], and scores, whose first axis has
// length N and whose last axis has the length of the boxes axis.
func CheckBoxes(boxes, scores ir.PartialShape, scoresRank int, coordinates int64) error {
	if err := check.Rank("boxes", boxes, 3); err != nil {
		return err
	}
	if err := check.Rank("scores", scores, scoresRank); err != nil {
		return err
	}
	if err := CheckSame("boxes", boxes, 0, "scores", scores, 0); err != nil {
		return err
	}
	if err := CheckSame("boxes", boxes, 1, "scores", scores, scoresRank-1); err != nil {
		return err
	}
	return CheckAxis("boxes", boxes, 2, coordinates)
}

// Names are the names of the inputs of a non-maximum suppression.
var Names = [...]string{
	"boxes", "scores", "max_output_boxes_per_class", "iou_threshold", "score_threshold", "soft_nms_sigma",
}

// CheckLimits checks that each input from number 2 on is a scalar or, if vector is true,
// possibly a vector of one element.
func CheckLimits(inputs []ir.Fact, vector bool) error {
	for i := 2; i < len(inputs); i++ {
		s := inputs[i].Shape
		if !s.RankKnown() || s.Rank() == 0 || vector && s.Rank() == 1 && s.At(0).Contains(1) {
			continue
		}
		if vector {
			return faults.Errorf("%s has shape %v, not that of a scalar or of one element", Names[i], s)
		}
		return faults.Errorf("%s has shape %v, not that of a scalar", Names[i], s)
	}
	return nil
}

// MaxOutput returns the value of input 2, max_output_boxes_per_class, and whether it is known.
func MaxOutput(inputs []ir.Fact) (int64, bool, error) {
	if len(inputs) < 3 {
		return 0, false, nil
	}
	input := &inputs[2]
	if ints, ok := input.Ints(); ok && len(ints) == 1 && input.Type != ir.Boolean {
		return ints[0], true, nil
	}
	if v, ok := check.Float(input); ok {
		return truncate(v), true, nil
	}
	if input.Tensor == nil || input.Tensor.Len() != 1 {
		return 0, false, nil
	}
	n, err := number(input.Tensor)
	return n, err == nil, err
}

// number returns the only element of t, for the integer types that Fact.Ints does not return.
func number(t *ir.Tensor) (int64, error) {
	switch t.ElementType() {
	case ir.U64:
		return int64(ir.Data[uint64](t)[0]), nil
	case ir.U4:
		return int64(t.Packed(0)), nil
	case ir.I4:
		return int64(int8(t.Packed(0)<<4) >> 4), nil
	}
	return 0, faults.Errorf("max_output_boxes_per_class is %v, which is no number of boxes", t.ElementType())
}

// truncate rounds v towards 0 and clamps it to the range of int64. NaN becomes math.MaxInt64.
func truncate(v float64) int64 {
	switch {
	case v < math.MinInt64:
		return math.MinInt64
	case v < 1<<63:
		return int64(v)
	}
	return math.MaxInt64
}

// Selected returns the range of the number of boxes that a suppression selects, from boxes of
// shape [N,boxes,coordinates] and scores of shape [N,classes,boxes], as NonMaxSuppression from
// version 5 on and NMSRotated infer it.
func Selected(inputs []ir.Fact) (ir.Dimension, error) {
	boxes, scores := inputs[0].Shape, inputs[1].Shape
	if !boxes.RankKnown() || !scores.RankKnown() {
		return ir.AnyDim, nil
	}
	n, known, err := MaxOutput(inputs)
	if err != nil {
		return ir.AnyDim, err
	}
	selected := ir.AnyDim
	switch {
	case !known, n == -1:
	case n < -1:
		return ir.AnyDim, nil // an invalid number: as in OpenVINO the length stays unknown
	default:
		selected = AtMost(Capped(boxes.At(1), n))
	}
	return selected.Mul(Longest(scores.At(0))).Mul(Longest(scores.At(1))), nil
}

// SetSelected sets the outputs of a suppression that selects the given number of boxes: their
// indices, of type t, their scores, and their number.
func SetSelected(in *ops.Inference, selected ir.Dimension, t ir.ElementType) error {
	rows := ir.ShapeOf(selected, ir.Dim(3))
	return ops.SetOutputs(in,
		ir.Fact{Type: t, Shape: rows},
		ir.Fact{Type: ir.F32, Shape: rows},
		ir.Fact{Type: t, Shape: ir.StaticShape(1)})
}

// SetPicked sets the outputs of MatrixNms and MulticlassNms: the selected boxes, of type t,
// their indices, and the number of boxes of each image, both of type indexType.
func SetPicked(in *ops.Inference, selected, images ir.Dimension, t, indexType ir.ElementType) error {
	return ops.SetOutputs(in,
		ir.Fact{Type: t, Shape: ir.ShapeOf(selected, ir.Dim(6))},
		ir.Fact{Type: indexType, Shape: ir.ShapeOf(selected, ir.Dim(1))},
		ir.Fact{Type: indexType, Shape: ir.ShapeOf(images)})
}

// CheckBoxTypes checks that boxes and scores, the first two inputs, have the same type, which
// MatrixNms and MulticlassNms must accept.
func CheckBoxTypes(inputs []ir.Fact) error {
	boxes, scores := inputs[0].Type, inputs[1].Type
	if boxes != ir.F32 && boxes != ir.F16 && boxes != ir.BF16 {
		return faults.Errorf("boxes is %v, expected f32, f16 or bf16", boxes)
	}
	if scores != boxes {
		return faults.Errorf("scores is %v, boxes is %v", scores, boxes)
	}
	return nil
}
