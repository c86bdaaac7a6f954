// Package nonmaxsuppression picks the boxes of the highest scores, class by class,
// without those that overlap one picked before.
//
// Versions: NonMaxSuppression-1, -3 and -4, with one output; NonMaxSuppression-5,
// which lowers the scores of boxes that overlap (soft suppression), and -9.
// Inputs: boxes [N,boxes,4], scores [N,classes,boxes], and up to three numbers, each
// of which may be left out with those behind it: max_output_boxes_per_class, which is
// 0 where it is left out, iou_threshold and score_threshold. Versions 5 and 9 have
// soft_nms_sigma as a fourth, and take vectors of one element.
//
// Outputs: selected_indices [S,3] of batch, class and box; in versions 5 and 9 also
// selected_scores [S,3], f32, and valid_outputs [1], the number of boxes picked.
// S is what can be picked at most. It is
//
//	min(boxes, max_output_boxes_per_class * classes)                  in -1 and -3
//	min(boxes, max_output_boxes_per_class) * N * classes              in -4
//	0 to min(boxes, max_output_boxes_per_class) * N * classes         in -5 and -9
//
// and not known where max_output_boxes_per_class is not. Attributes: box_encoding,
// corner, the default, or center; sort_result_descending, by default true; and, from
// version 3, output_type, the type of indices: i64, the default, or i32. Versions 5 and
// 9 take boxes and scores of f32, f16 and bf16, the others of every type.
//
// Errors: numbers of batches or boxes that differ, and boxes without four coordinates.
//
// Specification: OpenVINO operation set, sorting and maximization,
// NonMaxSuppression-1 to NonMaxSuppression-9.
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
