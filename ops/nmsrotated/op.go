// Package nmsrotated infers NMSRotated, which selects the rotated boxes with the highest scores,
// class by class, without boxes that overlap one selected before.
//
// Versions: NMSRotated-13.
//
// Inputs:
//   - boxes [N,boxes,5]. The fifth coordinate is the angle.
//   - scores [N,classes,boxes].
//   - max_output_boxes_per_class, iou_threshold and score_threshold, scalars or vectors of one
//     element.
//
// max_output_boxes_per_class has an integer type, the other inputs have floating-point types.
//
// Outputs: selected_indices [S,3] of type output_type, with batch, class and box; selected_scores
// [S,3] of type f32; valid_outputs [1] of type output_type, the number of boxes selected. S is
// between 0 and
//
//	min(boxes, max_output_boxes_per_class) * N * classes
//
// Attributes: sort_result_descending and clockwise, true by default; output_type, i64 (the default)
// or i32.
//
// Errors: numbers of batches or boxes that differ, and boxes without five coordinates.
//
// Specification: OpenVINO operation set, sorting and maximization, NMSRotated-13.
package nmsrotated

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "NMSRotated", Version: 13,
	Inputs:     ops.Exactly(5),
	Attributes: parse,
	Values:     []int{2},
	Infer:      infer,
}}

type attributes struct {
	outputType ir.ElementType
}

func parse(a *ir.Attributes) (any, error) {
	a.Bool("sort_result_descending", true)
	a.Bool("clockwise", true)
	return attributes{check.IndexAttribute(a, "output_type", ir.I64)}, a.Err()
}
