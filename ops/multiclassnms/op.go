// Package multiclassnms picks the boxes of the highest scores, class by class,
// without those that overlap one picked before, and of them the highest of each
// image.
//
// Versions: MulticlassNms-8 and MulticlassNms-9, which may have a third input.
// Inputs: boxes [N,boxes,4] and scores [N,classes,boxes] of one type T; or boxes
// [classes,boxes,4], scores [classes,boxes], and roisnum [N], i64 or i32, the number
// of boxes of each image. Outputs: selected_outputs [S,6] of type T (class, score and
// the four coordinates), selected_indices [S,1] and selected_num [N], where S is 0 to
//
//	min(min(boxes, nms_top_k) * classes, keep_top_k) * N
//
// T: f32, f16, bf16. Attributes: nms_top_k, how many boxes of a class are looked at,
// and keep_top_k, how many of an image are kept, both all where they are -1, the
// default; sort_result_type classid, score or none, the default;
// sort_result_across_batch, by default false; output_type, the type of the last two
// outputs, i64, the default, or i32; iou_threshold and score_threshold, by default
// 0; background_class, by default -1, none; nms_eta from 0 to 1, the default;
// normalized, by default true.
//
// Errors: numbers of batches, classes or boxes that differ, boxes without four
// coordinates, a nms_top_k, keep_top_k or background_class below -1, and, as in
// OpenVINO, boxes of a rank that is known with scores of one that is not.
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
