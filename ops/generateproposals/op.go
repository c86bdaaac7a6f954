// Package generateproposals infers GenerateProposals, which makes regions of interest of a batch of
// images from anchors and their refinement.
//
// Versions: GenerateProposals-9.
//
// Inputs: im_info [N,3] or [N,4], anchors [H,W,A,4], deltas [N,A*4,H,W] and scores [N,A,H,W]. The
// specification requires one floating-point type for all; like OpenVINO, this package does not
// check it.
//
// Outputs: rois [R,4] and scores [R] of the type of im_info, and roi_num [N], the number of regions
// of each image, of type roi_num_type. R is between 0 and N * post_nms_count.
//
// Attributes:
//   - pre_nms_count and post_nms_count: above 0, no default.
//   - min_size and nms_threshold: no default.
//   - normalized: true by default.
//   - nms_eta: must be 1, which is the default.
//   - roi_num_type: i64 (the default) or i32.
//
// Errors: lengths N, A, H and W that differ between the inputs.
//
// Specification: OpenVINO operation set, detection, GenerateProposals-9.
package generateproposals

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "GenerateProposals", Version: 9,
	Inputs:     ops.Exactly(4),
	Attributes: parse,
	Infer:      infer,
}}

type attributes struct {
	postNMSCount int64
	roiNumType   ir.ElementType
}

func parse(a *ir.Attributes) (any, error) {
	for _, name := range []string{"min_size", "nms_threshold", "pre_nms_count", "post_nms_count"} {
		a.Expect(name)
	}
	a.Float("min_size", 0)
	a.Float("nms_threshold", 0)
	a.Bool("normalized", true)
	if eta := a.Float("nms_eta", 1); float32(eta) != 1 {
		a.Fail("nms_eta", "%v is not 1", eta)
	}
	count := func(name string) int64 {
		n := a.Int(name, 0)
		if n <= 0 {
			a.Fail(name, "%d is not above 0", n)
		}
		return n
	}
	count("pre_nms_count")
	return attributes{count("post_nms_count"), check.IndexAttribute(a, "roi_num_type", ir.I64)}, a.Err()
}
