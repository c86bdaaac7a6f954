// Package experimentaldetectrongenerateproposals makes regions of interest of one
// image, out of anchors and their refinement.
//
// Versions: ExperimentalDetectronGenerateProposalsSingleImage-6. Inputs, of one
// floating-point type T: im_info [3], anchors [A,4], deltas [C*4,H,W] and scores
// [C,H,W]. Outputs, of type T: rois [P,4] and scores [P], where P is the attribute
// post_nms_count. It has no default, and neither have min_size, nms_threshold and
// pre_nms_count. Errors: an H or W of deltas that is not that of scores.
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
