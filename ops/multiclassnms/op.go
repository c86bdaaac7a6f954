// Package multiclassnms infers MulticlassNms, which selects the boxes with the highest scores,
// class by class, without boxes that overlap one selected before. Of these it keeps the boxes with
// the highest scores of each image.
//
// Versions: MulticlassNms-8; MulticlassNms-9, with an optional third input.
//
// Inputs, with two inputs: boxes [N,boxes,4] and scores [N,classes,boxes] of one type T. With
// three: boxes [classes,boxes,4] and scores [classes,boxes] of one type T, and roisnum [N] of type
// i64 or i32, the number of boxes of each image. T is f32, f16 or bf16.
//
// Outputs: selected_outputs [S,6] of type T, with class, score and the four coordinates;
// selected_indices [S,1] and selected_num [N] of type output_type. S is between 0 and
//
//	min(min(boxes, nms_top_k) * classes, keep_top_k) * N
//
// Attributes:
//   - nms_top_k: the number of boxes of a class to consider; -1, the default, means all.
//   - keep_top_k: the number of boxes of an image to keep; -1, the default, means all.
//   - background_class: -1, the default, means none.
//   - sort_result_type: classid, score or none (the default).
//   - sort_result_across_batch: false by default.
//   - output_type: i64 (the default) or i32.
//   - iou_threshold and score_threshold: 0 by default.
//   - nms_eta: from 0 to 1, 1 by default.
//   - normalized: true by default.
//
// Errors: numbers of batches, classes or boxes that differ; boxes without four coordinates; an
// nms_top_k, keep_top_k or background_class below -1; and, as in OpenVINO, boxes of known rank with
// scores of unknown rank.
//
// Specification: OpenVINO operation set, sorting and maximization, MulticlassNms-8,
// MulticlassNms-9.
package multiclassnms

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/detection"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "MulticlassNms", Version: 8,
	Inputs:     ops.Exactly(2),
	Attributes: parse,
	Infer:      infer,
}, {
	Type: "MulticlassNms", Version: 9,
	Inputs:     ops.Between(2, 3),
	Attributes: parse,
	Infer:      infer,
}}

type attributes struct {
	nmsTopK, keepTopK int64
	outputType        ir.ElementType
}

func parse(a *ir.Attributes) (any, error) {
	a.Enum("sort_result_type", "none", "classid", "score", "none")
	a.Bool("sort_result_across_batch", false)
	a.Float("iou_threshold", 0)
	a.Float("score_threshold", 0)
	a.Bool("normalized", true)
	if eta := float32(a.Float("nms_eta", 1)); !(eta >= 0 && eta <= 1) {
		a.Fail("nms_eta", "%v is outside [0,1]", eta)
	}
	limit := func(name string) int64 {
		n := detection.Int32(a, name, -1)
		if n < -1 {
			a.Fail(name, "%d is below -1", n)
		}
		return n
	}
	limit("background_class")
	at := &attributes{limit("nms_top_k"), limit("keep_top_k"), check.IndexAttribute(a, "output_type", ir.I64)}
	return at, a.Err()
}
