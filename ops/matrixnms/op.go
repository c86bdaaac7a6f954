// Package matrixnms lowers the scores of boxes by how much they overlap those of
// higher scores, all at once, and picks the highest that are left.
//
// Versions: MatrixNms-8. Inputs: boxes [N,boxes,4] and scores [N,classes,boxes] of
// one type T. Outputs: selected_outputs [S,6] of type T (class, score and the four
// coordinates), selected_indices [S,1] and selected_num [N], where S is 0 to
//
//	min(min(boxes, nms_top_k) * classes, keep_top_k) * N
//
// T: f32, f16, bf16. Attributes: nms_top_k, how many boxes of a class are looked at,
// and keep_top_k, how many of an image are kept, both all where they are -1, the
// default; sort_result_type classid, score or none, the default;
// sort_result_across_batch, by default false; output_type, the type of the last two
// outputs, i64, the default, or i32; score_threshold and post_threshold, by default
// 0; background_class, by default -1, none; decay_function gaussian or linear, the
// default; gaussian_sigma, by default 2; normalized, by default true.
//
// Errors: numbers of batches or boxes that differ, boxes without four coordinates, and
// a nms_top_k, keep_top_k or background_class below -1.
//
// Specification: OpenVINO operation set, sorting and maximization, MatrixNms-8.
package matrixnms

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/detection"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "MatrixNms", Version: 8,
	Inputs:     ops.Exactly(2),
	Attributes: parse,
	Infer:      infer,
}}

type attributes struct {
	nmsTopK, keepTopK, backgroundClass int64
	outputType                         ir.ElementType
}

func parse(a *ir.Attributes) (any, error) {
	a.Enum("sort_result_type", "none", "classid", "score", "none")
	a.Bool("sort_result_across_batch", false)
	a.Float("score_threshold", 0)
	a.Enum("decay_function", "linear", "gaussian", "linear")
	a.Float("gaussian_sigma", 2)
	a.Float("post_threshold", 0)
	a.Bool("normalized", true)
	at := &attributes{
		nmsTopK:         detection.Int32(a, "nms_top_k", -1),
		keepTopK:        detection.Int32(a, "keep_top_k", -1),
		backgroundClass: detection.Int32(a, "background_class", -1),
		outputType:      check.IndexAttribute(a, "output_type", ir.I64),
	}
	return at, a.Err()
}
