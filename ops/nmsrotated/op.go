// Package nmsrotated picks the boxes of the highest scores, class by class, without
// those that overlap one picked before, where boxes stand at an angle.
//
// Versions: NMSRotated-13. Inputs: boxes [N,boxes,5], the fifth coordinate being the
// angle, scores [N,classes,boxes], and three numbers, scalars or vectors of one
// element: max_output_boxes_per_class, of a type of integers, iou_threshold and
// score_threshold. The others are of floating-point types. Outputs: selected_indices
// [S,3] of batch, class and box, selected_scores [S,3], f32, and valid_outputs [1],
// the number of boxes picked, where S is 0 to
//
//	min(boxes, max_output_boxes_per_class) * N * classes
//
// Attributes: sort_result_descending and clockwise, by default true, and output_type,
// the type of indices: i64, the default, or i32. Errors: numbers of batches or boxes
// that differ, and boxes without five coordinates.
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
