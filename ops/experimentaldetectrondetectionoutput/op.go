// Package experimentaldetectrondetectionoutput computes ExperimentalDetectronDetectionOutput, which
// makes the list of the objects that a Detectron network has detected from regions of interest and
// their refinement.
//
// Versions: ExperimentalDetectronDetectionOutput-6.
//
// Inputs, of one type T, f32, f64, f16 or bf16: rois [R,4], deltas [R,num_classes*4], scores
// [R,num_classes] and im_info [1,3], which is not read.
//
// Outputs: boxes [M,4] of type T, classes [M] of type i32, and scores [M] of type T. M is the
// attribute max_detections_per_image. The specification does not decide whether classes is i32 or
// i64.
//
// For each class but 0, the background, the regions with a score above score_threshold are refined:
//
//	x = roi x + dx/deltas_weights[0]*width,   width = roi width * exp(min(dw/deltas_weights[2], max_delta_log_wh))
//
// and the same for y and the height, with the other weights. Corners are pixels that belong to the
// box. Coordinates below 0 and NaN become 0. In the order of their scores, up to post_nms_count
// boxes (any number if it is -1) are selected, each of which has with those selected before an IoU
// that is not above nms_threshold. A region without area has score 0 and a box of zeros.
//
// If there are more than max_detections_per_image boxes of all classes, those of the highest scores
// are written in descending order. Of equal scores, the first region, and then the first class,
// come first. If there are not more, boxes are written class by class, as in OpenVINO, and then
// zeros. class_agnostic_box_regression has no effect, as in OpenVINO.
//
// Attributes: max_detections_per_image, num_classes, score_threshold, nms_threshold,
// max_delta_log_wh, post_nms_count and deltas_weights, without defaults in the specification;
// class_agnostic_box_regression, false by default.
//
// Before running it is an error if deltas_weights does not have four numbers, and if post_nms_count
// is below -1.
//
// Errors: lengths R and num_classes that differ between the inputs, and a fourth output. Files with
// a fourth output are older than the specification, and OpenVINO refuses them too.
//
// Specification: OpenVINO operation set, detection, ExperimentalDetectronDetectionOutput-6.
package experimentaldetectrondetectionoutput

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/floats"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "ExperimentalDetectronDetectionOutput", Version: 6,
	Written:    3,
	Inputs:     ops.Exactly(4),
	Types:      floats.Types,
	Attributes: parse,
	Infer:      infer,
	Prepare:    prepare,
}}

type attributes struct {
	classes, maxDetections, postNMSCount        int64
	scoreThreshold, nmsThreshold, maxDeltaLogWH float64
	deltasWeights                               []float64
}

func parse(a *ir.Attributes) (any, error) {
	for _, name := range []string{
		"score_threshold", "nms_threshold", "max_delta_log_wh", "num_classes", "post_nms_count",
		"max_detections_per_image", "deltas_weights",
	} {
		a.Expect(name)
	}
	a.Bool("class_agnostic_box_regression", false)
	return attributes{
		classes: a.Int("num_classes", 0), maxDetections: a.Int("max_detections_per_image", 0), postNMSCount: a.Int("post_nms_count", 0),
		scoreThreshold: a.Float("score_threshold", 0), nmsThreshold: a.Float("nms_threshold", 0), maxDeltaLogWH: a.Float("max_delta_log_wh", 0),
		deltasWeights: a.Floats("deltas_weights"),
	}, a.Err()
}
