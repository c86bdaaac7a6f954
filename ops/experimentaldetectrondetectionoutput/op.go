// Package experimentaldetectrondetectionoutput infers ExperimentalDetectronDetectionOutput, which
// makes the list of the objects that a Detectron network has detected from regions of interest and
// their refinement.
//
// Versions: ExperimentalDetectronDetectionOutput-6.
//
// Inputs, of one floating-point type T: rois [R,4], deltas [R,num_classes*4], scores
// [R,num_classes] and im_info [1,3].
//
// Outputs: boxes [M,4] of type T, classes [M] of type i32, and scores [M] of type T. M is the
// attribute max_detections_per_image. The specification does not decide whether classes is i32 or
// i64.
//
// Attributes: max_detections_per_image, num_classes, score_threshold, nms_threshold,
// max_delta_log_wh, post_nms_count and deltas_weights, without defaults in the specification;
// class_agnostic_box_regression, false by default.
//
// Errors: lengths R and num_classes that differ between the inputs, and a fourth output. Files with
// a fourth output are older than the specification, and OpenVINO refuses them too.
//
// Specification: OpenVINO operation set, detection, ExperimentalDetectronDetectionOutput-6.
package experimentaldetectrondetectionoutput

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "ExperimentalDetectronDetectionOutput", Version: 6,
	Inputs:     ops.Exactly(4),
	Attributes: parse,
	Infer:      infer,
}}

type attributes struct {
	classes, maxDetections int64
}

func parse(a *ir.Attributes) (any, error) {
	for _, name := range []string{
		"score_threshold", "nms_threshold", "max_delta_log_wh", "num_classes", "post_nms_count",
		"max_detections_per_image", "deltas_weights",
	} {
		a.Expect(name)
	}
	for _, name := range []string{"score_threshold", "nms_threshold", "max_delta_log_wh"} {
		a.Float(name, 0)
	}
	a.Int("post_nms_count", 0)
	a.Bool("class_agnostic_box_regression", false)
	a.Floats("deltas_weights")
	return attributes{a.Int("num_classes", 0), a.Int("max_detections_per_image", 0)}, a.Err()
}
