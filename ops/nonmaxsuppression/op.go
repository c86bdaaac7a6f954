// Package nonmaxsuppression computes NonMaxSuppression, which selects the boxes with the highest
// scores, class by class, without boxes that overlap one selected before.
//
//	candidates: boxes with score > score_threshold, highest score first, equal scores in their order
//	select each candidate unless its IoU with a selected box is >= iou_threshold
//	IoU = area of the intersection / area of the union
//
// It ends for a class when max_output_boxes_per_class boxes are selected. If soft_nms_sigma is
// above 0, each selected box lowers the scores of the others instead, whatever iou_threshold is:
//
//	score *= exp(-0.5 * IoU * IoU / soft_nms_sigma)
//
// Versions: NonMaxSuppression-1, -3 and -4, with one output; NonMaxSuppression-5 and -9, which can
// lower the scores of boxes that overlap instead of dropping them (soft suppression).
//
// Inputs:
//   - boxes [N,boxes,4].
//   - scores [N,classes,boxes].
//   - max_output_boxes_per_class, iou_threshold, score_threshold and, in versions 5 and 9,
//     soft_nms_sigma: scalars, in versions 5 and 9 also vectors of one element. They are
//     optional, but each needs those before it. A missing one is 0: without
//     max_output_boxes_per_class, no box is selected.
//
// max_output_boxes_per_class has any type of numbers. The kernel computes f32, f16 and bf16 as the
// types of the other inputs, which can differ, and up to version 4 also f64. The shape rule of
// those versions accepts any type. Boxes and scores are computed in f64 if one of them is, and in
// f32 otherwise.
//
// Outputs: selected_indices [S,3] of type output_type, with batch, class and box; in versions 5 and
// 9 also selected_scores [S,3] of type f32, with batch, class and score, and valid_outputs [1], the
// number of boxes selected. In versions 5 and 9, S is that number. In the other versions it is
//
//	min(boxes, max_output_boxes_per_class * classes)                  in -1 and -3
//	min(boxes, max_output_boxes_per_class) * N * classes              in -4
//
// if max_output_boxes_per_class is constant. If fewer boxes are selected, the last rows are filled
// with -1. In -1 and -3, more can be selected; the last of them are left out. The order of the rows
// is that of batches and classes or, with sort_result_descending, that of scores. Equal scores are
// in the order of batch, class and box.
//
// Borders: NaN is no score above a threshold, and a threshold of NaN selects nothing. Boxes with
// NaN or infinite coordinates, and boxes without area, overlap nothing; only if iou_threshold is 0
// or less, a box without area overlaps one with area.
//
// The text of the specification has score >= score_threshold, and in -5 it applies iou_threshold to
// soft suppression. OpenVINO computes all versions as above.
//
// Attributes: box_encoding, corner (the default: two opposite corners in any order) or center (the
// center and the size); sort_result_descending, true by default; from version 3 output_type, i64
// (the default) or i32.
//
// Errors: numbers of batches or boxes that differ, boxes without four coordinates, and a
// max_output_boxes_per_class below 0.
//
// Specification: OpenVINO operation set, sorting and maximization, NonMaxSuppression-1 to
// NonMaxSuppression-9.
package nonmaxsuppression

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/floats"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{suppression(1), suppression(3), suppression(4), suppression(5), suppression(9)}

func suppression(version int) ops.Op {
	op := ops.Op{
		Type: "NonMaxSuppression", Version: version,
		Inputs:     ops.Between(2, 5),
		Attributes: func(a *ir.Attributes) (any, error) { return parse(a, version) },
		Values:     []int{2},
		Types:      floats.Types,
		PortTypes:  []ops.PortTypes{{Port: 1, Types: floats.Types}},
		Infer:      inferHard,
		Prepare:    prepare,
	}
	if version >= 5 {
		op.Inputs.Max, op.Infer = 6, inferSoft
		op.Types = []ir.ElementType{ir.F32, ir.F16, ir.BF16}
	}
	return op
}

type attributes struct {
	version            int
	outputType         ir.ElementType
	center, descending bool
}

func parse(a *ir.Attributes, version int) (any, error) {
	at := attributes{version: version, outputType: ir.I64}
	at.center = a.Enum("box_encoding", "corner", "corner", "center") == "center"
	at.descending = a.Bool("sort_result_descending", true)
	if version >= 3 {
		at.outputType = check.IndexAttribute(a, "output_type", ir.I64)
	}
	return at, a.Err()
}
