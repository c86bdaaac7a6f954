// Package matrixnms infers MatrixNms, which lowers the scores of boxes by their overlap with boxes
// of higher scores, all at once, and then selects the boxes with the highest scores.
//
// Versions: MatrixNms-8.
//
// Inputs: boxes [N,boxes,4] and scores [N,classes,boxes] of one type T, which is f32, f16 or bf16.
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
//   - score_threshold and post_threshold: 0 by default.
//   - decay_function: gaussian or linear (the default).
//   - gaussian_sigma: 2 by default.
//   - normalized: true by default.
//
// Errors: numbers of batches or boxes that differ, boxes without four coordinates, and an
// nms_top_k, keep_top_k or background_class below -1.
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
