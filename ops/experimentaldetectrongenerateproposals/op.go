// Package experimentaldetectrongenerateproposals computes
// ExperimentalDetectronGenerateProposalsSingleImage, which makes regions of interest of one image
// from anchors and their refinement.
//
// Versions: ExperimentalDetectronGenerateProposalsSingleImage-6.
//
// Inputs, of one type T, f32, f64, f16 or bf16: im_info [3], of which the first two numbers are the
// height and the width of the image, anchors [A,4], deltas [C*4,H,W] and scores [C,H,W]. A is
// H*W*C. Like OpenVINO, the shape rule does not compare A and the first axes of deltas and scores;
// the kernel does.
//
// Outputs, of type T: rois [P,4] and scores [P]. P is the attribute post_nms_count. Rows after the
// last region are 0.
//
// The pre_nms_count anchors of the highest scores are refined:
//
//	x = anchor x + dx*anchor width,   width = anchor width * exp(min(dw, log(1000/16)))
//
// and the same for y and the height, and clipped to the image. As in OpenVINO, corners are pixels
// that belong to the box, which adds 1 to its width and height, but not in the IoU. Boxes smaller
// than min_size and, as in OpenVINO, boxes of score 0 are dropped. Of the others, in the order of
// their scores, each is taken whose IoU with all regions taken before is not above nms_threshold.
// Of equal scores, the one of the lowest row, column and anchor comes first. NaN comes last,
// whereas a coordinate of NaN becomes 0.
//
// Attributes: post_nms_count, min_size, nms_threshold and pre_nms_count, without defaults in the
// specification.
//
// Errors: an H or W that differs between deltas and scores; before running also an A or C that
// differs, and a count that is not above 0.
//
// Specification: OpenVINO operation set, detection,
// ExperimentalDetectronGenerateProposalsSingleImage-6.
package experimentaldetectrongenerateproposals

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/floats"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "ExperimentalDetectronGenerateProposalsSingleImage", Version: 6,
	Written:    2,
	Inputs:     ops.Exactly(4),
	Types:      floats.Types,
	Attributes: parse,
	Infer:      infer,
	Prepare:    prepare,
}}

type attributes struct {
	preNMSCount, postNMSCount int64
	minSize, nmsThreshold     float64
}

func parse(a *ir.Attributes) (any, error) {
	for _, name := range []string{"min_size", "nms_threshold", "post_nms_count", "pre_nms_count"} {
		a.Expect(name)
	}
	return attributes{
		preNMSCount: a.Int("pre_nms_count", 0), postNMSCount: a.Int("post_nms_count", 0),
		minSize: a.Float("min_size", 0), nmsThreshold: a.Float("nms_threshold", 0),
	}, a.Err()
}
