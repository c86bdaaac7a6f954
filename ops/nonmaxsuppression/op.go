// Package nonmaxsuppression infers NonMaxSuppression, which selects the boxes with the highest
// scores, class by class, without boxes that overlap one selected before.
//
// Versions: NonMaxSuppression-1, -3 and -4, with one output; NonMaxSuppression-5 and -9, which can
// lower the scores of boxes that overlap instead of dropping them (soft suppression).
//
// Inputs:
//   - boxes [N,boxes,4].
//   - scores [N,classes,boxes].
//   - max_output_boxes_per_class, iou_threshold, score_threshold and, in versions 5 and 9,
//     soft_nms_sigma: scalars, in versions 5 and 9 also vectors of one element. They are
//     optional, but each needs those before it. A missing max_output_boxes_per_class is 0.
//
// In versions 5 and 9 all inputs except max_output_boxes_per_class are f32, f16 or bf16. Other
// versions accept any type.
//
// Outputs: selected_indices [S,3] of type output_type, with batch, class and box; in versions 5 and
// 9 also selected_scores [S,3] of type f32, and valid_outputs [1], the number of boxes selected. S
// is the greatest number of boxes that can be selected:
//
//	min(boxes, max_output_boxes_per_class * classes)                  in -1 and -3
//	min(boxes, max_output_boxes_per_class) * N * classes              in -4
//	0 to min(boxes, max_output_boxes_per_class) * N * classes         in -5 and -9
//
// S is unknown if max_output_boxes_per_class is, and in versions 5 and 9 also if it is missing.
//
// Attributes: box_encoding, corner (the default) or center; sort_result_descending, true by
// default; from version 3 output_type, i64 (the default) or i32.
//
// Errors: numbers of batches or boxes that differ, and boxes without four coordinates.
//
// Specification: OpenVINO operation set, sorting and maximization, NonMaxSuppression-1 to
// NonMaxSuppression-9.
package nonmaxsuppression

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{suppression(1), suppression(3), suppression(4), suppression(5), suppression(9)}

func suppression(version int) ops.Op {
	op := ops.Op{
		Type: "NonMaxSuppression", Version: version,
		Inputs:     ops.Between(2, 5),
		Attributes: func(a *ir.Attributes) (any, error) { return parse(a, version) },
		Values:     []int{2},
		Infer:      inferHard,
	}
	if version >= 5 {
		op.Inputs.Max, op.Infer = 6, inferSoft
	}
	return op
}

type attributes struct {
	version    int
	outputType ir.ElementType
}

func parse(a *ir.Attributes, version int) (any, error) {
	a.Enum("box_encoding", "corner", "corner", "center")
	a.Bool("sort_result_descending", true)
	at := attributes{version, ir.I64}
	if version >= 3 {
		at.outputType = check.IndexAttribute(a, "output_type", ir.I64)
	}
	return at, a.Err()
}
