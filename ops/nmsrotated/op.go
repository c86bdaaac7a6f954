// Package nmsrotated computes NMSRotated, which selects the rotated boxes with the highest scores,
// class by class, without boxes that overlap one selected before.
//
//	candidates: boxes with score > score_threshold, highest score first, equal scores in their order
//	select each candidate unless its IoU with a selected box is > iou_threshold
//	IoU = area of the intersection / area of the union
//
// It ends for a class when max_output_boxes_per_class boxes are selected.
//
// Versions: NMSRotated-13.
//
// Inputs:
//   - boxes [N,boxes,5]: the center, the width, the height and the angle in radians.
//   - scores [N,classes,boxes].
//   - max_output_boxes_per_class, iou_threshold and score_threshold, scalars or vectors of one
//     element.
//
// max_output_boxes_per_class has an integer type, the other inputs have floating-point types.
//
// Outputs: selected_indices [S,3] of type output_type, with batch, class and box; selected_scores
// [S,3] of type f32, with batch, class and score; valid_outputs [1] of type output_type, the number
// of boxes selected. S is that number, at most
//
//	min(boxes, max_output_boxes_per_class) * N * classes
//
// Attributes: sort_result_descending and clockwise, true by default; output_type, i64 (the default)
// or i32.
//
// The order of the rows is that of batches and classes or, with sort_result_descending, that of
// scores. Equal scores are in the order of batch, class and box. With clockwise, positive angles
// turn the first axis towards the second one. The kernel computes f32, f64, f16 and bf16; boxes are
// computed in f64.
//
// Borders: NaN is no score above a threshold. The IoU is 0 if a box has no area, as with one
// negative length, and that of boxes with NaN is above no threshold of 0 or more. The text of the
// specification has score >= score_threshold; OpenVINO computes it as above.
//
// Errors: numbers of batches or boxes that differ, boxes without five coordinates, and a
// max_output_boxes_per_class below 0.
//
// Specification: OpenVINO operation set, sorting and maximization, NMSRotated-13.
package nmsrotated

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/floats"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "NMSRotated", Version: 13,
	Inputs:     ops.Exactly(5),
	Attributes: parse,
	Values:     []int{2},
	Types:      floats.Types,
	Infer:      infer,
	Prepare:    prepare,
}}

type attributes struct {
	outputType            ir.ElementType
	descending, clockwise bool
}

func parse(a *ir.Attributes) (any, error) {
	at := attributes{
		descending: a.Bool("sort_result_descending", true),
		clockwise:  a.Bool("clockwise", true),
		outputType: check.IndexAttribute(a, "output_type", ir.I64),
	}
	return at, a.Err()
}
