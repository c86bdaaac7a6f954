// Package matrixnms computes MatrixNms, which lowers the scores of boxes by their overlap with
// boxes of higher scores, all at once, and then selects the boxes with the highest scores.
//
//	candidates of a class: boxes with score > score_threshold, the nms_top_k highest scores
//	X[i,j] = IoU of candidates i and j, for i before j; most[j] = max over i of X[i,j]
//	linear:   factor[j] = min over i of (1 - X[i,j]) / (1 - most[i])
//	gaussian: factor[j] = min over i of exp((most[i]² - X[i,j]²) * gaussian_sigma)
//	score[j] *= min(factor[j], 1)
//	select boxes with score > post_threshold, and of each image the keep_top_k highest scores
//
// Versions: MatrixNms-8.
//
// Inputs: boxes [N,boxes,4] and scores [N,classes,boxes] of one type T, which is f32, f16 or bf16.
//
// Outputs: selected_outputs [S,6] of type T, with class, score and the four coordinates;
// selected_indices [S,1] and selected_num [N] of type output_type: image * boxes + box, and the
// number of boxes of each image. S is the number of boxes, at most
//
//	min(min(boxes, nms_top_k) * classes, keep_top_k) * N
//
// Attributes:
//   - nms_top_k: the number of boxes of a class to consider; -1, the default, means all.
//   - keep_top_k: the number of boxes of an image to keep; -1, the default, means all.
//   - background_class: -1, the default, means none.
//   - sort_result_type: classid, score or none (the default).
//   - sort_result_across_batch: false by default, which is the order of scores in each image,
//     whatever sort_result_type is, as in OpenVINO.
//   - output_type: i64 (the default) or i32.
//   - score_threshold and post_threshold: 0 by default.
//   - decay_function: gaussian or linear (the default).
//   - gaussian_sigma: 2 by default.
//   - normalized: true by default. If it is false, a box contains the pixels of both corners: its
//     sides are 1 longer.
//
// Borders: equal scores are in the order of image, class and box. NaN is no score above a
// threshold. Boxes apart have the IoU 0, even if less than a pixel is between them, and so have
// boxes whose second corner is below the first one. A factor of 0 / 0, or from a box with NaN, does
// not count. f16 and bf16 are computed in f32.
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
	Types:      types,
	Infer:      infer,
	Prepare:    prepare,
}}

var types = []ir.ElementType{ir.F32, ir.F16, ir.BF16}

type attributes struct {
	nmsTopK, keepTopK, backgroundClass int64
	outputType                         ir.ElementType
	sort                               string
	acrossBatch, normalized, gaussian  bool
	score, postThreshold, sigma        float32
}

func parse(a *ir.Attributes) (any, error) {
	at := &attributes{
		sort:            a.Enum("sort_result_type", "none", "classid", "score", "none"),
		acrossBatch:     a.Bool("sort_result_across_batch", false),
		score:           float32(a.Float("score_threshold", 0)),
		gaussian:        a.Enum("decay_function", "linear", "gaussian", "linear") == "gaussian",
		sigma:           float32(a.Float("gaussian_sigma", 2)),
		postThreshold:   float32(a.Float("post_threshold", 0)),
		normalized:      a.Bool("normalized", true),
		nmsTopK:         detection.Int32(a, "nms_top_k", -1),
		keepTopK:        detection.Int32(a, "keep_top_k", -1),
		backgroundClass: detection.Int32(a, "background_class", -1),
		outputType:      check.IndexAttribute(a, "output_type", ir.I64),
	}
	return at, a.Err()
}
