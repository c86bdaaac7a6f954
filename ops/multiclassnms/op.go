// Package multiclassnms computes MulticlassNms, which selects the boxes with the highest scores,
// class by class, without boxes that overlap one selected before. Of these it keeps the boxes with
// the highest scores of each image.
//
//	candidates of a class: boxes with score >= score_threshold, the nms_top_k highest scores
//	select each candidate unless its IoU with a selected box is >= threshold
//	threshold: iou_threshold; while it is above 0.5, each selected box multiplies it by nms_eta
//	keep the keep_top_k selected boxes of an image with the highest scores
//
// Versions: MulticlassNms-8; MulticlassNms-9, with an optional third input.
//
// Inputs, with two inputs: boxes [N,boxes,4] and scores [N,classes,boxes] of one type T. With
// three: boxes [classes,boxes,4] and scores [classes,boxes] of one type T, and roisnum [N] of type
// i64 or i32, the number of boxes of each image. T is f32, f16 or bf16.
//
// Outputs: selected_outputs [S,6] of type T, with class, score and the four coordinates;
// selected_indices [S,1] and selected_num [N] of type output_type: image * boxes + box or, with
// three inputs, box * classes + class; and the number of boxes of each image. S is the number of
// boxes, at most
//
//	min(min(boxes, nms_top_k) * classes, keep_top_k) * N
//
// Attributes:
//   - nms_top_k: the number of boxes of a class to consider; -1, the default, means all.
//   - keep_top_k: the number of boxes of an image to keep; -1, the default, means all.
//   - background_class: -1, the default, means none.
//   - sort_result_type: classid, score or none (the default), which is the order of scores in each
//     image.
//   - sort_result_across_batch: false by default.
//   - output_type: i64 (the default) or i32.
//   - iou_threshold and score_threshold: 0 by default.
//   - nms_eta: from 0 to 1, 1 by default.
//   - normalized: true by default. If it is false, a box contains the pixels of both corners: its
//     sides are 1 longer.
//
// Borders: equal scores are in the order of image, class and box. NaN is no score above a
// threshold. The IoU of boxes without a common area is 0; that of boxes with NaN is above nothing.
// f16 and bf16 are computed in f32. OpenVINO drops a box whose IoU equals the threshold, which the
// text of the specification keeps.
//
// Errors: a number in roisnum that is negative or more than the boxes that are left; numbers of
// batches, classes or boxes that differ; boxes without four coordinates; an nms_top_k, keep_top_k
// or background_class below -1; and, as in OpenVINO, boxes of known rank with scores of unknown
// rank.
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
	Types:      types,
	Infer:      infer,
	Prepare:    prepare,
}, {
	Type: "MulticlassNms", Version: 9,
	Inputs:     ops.Between(2, 3),
	Attributes: parse,
	Types:      types,
	Infer:      infer,
	Prepare:    prepare,
}}

var types = []ir.ElementType{ir.F32, ir.F16, ir.BF16}

type attributes struct {
	nmsTopK, keepTopK       int64
	outputType              ir.ElementType
	background              int
	sort                    string
	acrossBatch, normalized bool
	overlap, score, eta     float32
}

func parse(a *ir.Attributes) (any, error) {
	at := &attributes{
		sort:        a.Enum("sort_result_type", "none", "classid", "score", "none"),
		acrossBatch: a.Bool("sort_result_across_batch", false),
		overlap:     float32(a.Float("iou_threshold", 0)),
		score:       float32(a.Float("score_threshold", 0)),
		normalized:  a.Bool("normalized", true),
		eta:         float32(a.Float("nms_eta", 1)),
	}
	if !(at.eta >= 0 && at.eta <= 1) {
		a.Fail("nms_eta", "%v is outside [0,1]", at.eta)
	}
	limit := func(name string) int64 {
		n := detection.Int32(a, name, -1)
		if n < -1 {
			a.Fail(name, "%d is below -1", n)
		}
		return n
	}
	at.background = int(limit("background_class"))
	at.nmsTopK, at.keepTopK = limit("nms_top_k"), limit("keep_top_k")
	at.outputType = check.IndexAttribute(a, "output_type", ir.I64)
	return at, a.Err()
}
