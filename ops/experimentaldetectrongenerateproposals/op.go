// Package experimentaldetectrongenerateproposals infers
// ExperimentalDetectronGenerateProposalsSingleImage, which makes regions of interest of one image
// from anchors and their refinement.
//
// Versions: ExperimentalDetectronGenerateProposalsSingleImage-6.
//
// Inputs, of one floating-point type T: im_info [3], anchors [A,4], deltas [C*4,H,W] and scores
// [C,H,W]. Like OpenVINO, the shape rule does not compare the first axes of deltas and scores.
//
// Outputs, of type T: rois [P,4] and scores [P]. P is the attribute post_nms_count.
//
// Attributes: post_nms_count, min_size, nms_threshold and pre_nms_count, without defaults in the
// specification.
//
// Errors: an H or W that differs between deltas and scores.
//
// Specification: OpenVINO operation set, detection,
// ExperimentalDetectronGenerateProposalsSingleImage-6.
package experimentaldetectrongenerateproposals

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "ExperimentalDetectronGenerateProposalsSingleImage", Version: 6,
	Inputs:     ops.Exactly(4),
	Attributes: parse,
	Infer:      infer,
}}

type attributes struct {
	postNMSCount int64
}

func parse(a *ir.Attributes) (any, error) {
	for _, name := range []string{"min_size", "nms_threshold", "post_nms_count", "pre_nms_count"} {
		a.Expect(name)
	}
	a.Float("min_size", 0)
	a.Float("nms_threshold", 0)
	a.Int("pre_nms_count", 0)
	return attributes{a.Int("post_nms_count", 0)}, a.Err()
}
