// Package generateproposals computes GenerateProposals, which makes regions of interest of a batch
// of images from anchors and their refinement.
//
// Versions: GenerateProposals-9.
//
// Inputs: im_info [N,3] or [N,4], anchors [H,W,A,4], deltas [N,A*4,H,W] and scores [N,A,H,W]. The
// specification requires one floating-point type for all; like OpenVINO, the shape rule does not
// check it, but the kernel requires one of f32, f64, f16 and bf16. im_info has, for each image,
// height, width, and one scale or those of the height and the width.
//
// Outputs: rois [R,4] and scores [R] of the type of im_info, and roi_num [N], the number of regions
// of each image, of type roi_num_type. R is between 0 and N * post_nms_count.
//
// For each image, the pre_nms_count anchors of the highest scores are refined:
//
//	x = anchor x + dx*anchor width,   width = anchor width * exp(min(dw, log(1000/16)))
//
// and the same for y and the height, and clipped to the image. If normalized is false, corners are
// pixels that belong to the box. Boxes smaller than min_size times the scale are dropped. Of the
// others, in the order of their scores, each is taken whose IoU with all regions taken before is
// not above nms_threshold. Of equal scores, the one of the lowest row, column and anchor comes
// first. NaN comes last, whereas a coordinate of NaN becomes 0.
//
// Attributes:
//   - pre_nms_count and post_nms_count: above 0, no default.
//   - min_size and nms_threshold: no default.
//   - normalized: true by default.
//   - nms_eta: must be 1, which is the default.
//   - roi_num_type: i64 (the default) or i32.
//
// Errors: lengths N, A, H and W that differ between the inputs; before running also inputs of
// different types.
//
// Specification: OpenVINO operation set, detection, GenerateProposals-9.
package generateproposals

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/floats"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "GenerateProposals", Version: 9,
	Written:    3,
	Inputs:     ops.Exactly(4),
	Types:      floats.Types,
	Attributes: parse,
	Infer:      infer,
	Prepare:    prepare,
}}

type attributes struct {
	preNMSCount, postNMSCount int64
	minSize, nmsThreshold     float64
	normalized                bool
	roiNumType                ir.ElementType
}

func parse(a *ir.Attributes) (any, error) {
	for _, name := range []string{"min_size", "nms_threshold", "pre_nms_count", "post_nms_count"} {
		a.Expect(name)
	}
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
	return attributes{
		preNMSCount: count("pre_nms_count"), postNMSCount: count("post_nms_count"),
		minSize: a.Float("min_size", 0), nmsThreshold: a.Float("nms_threshold", 0),
		normalized: a.Bool("normalized", true),
		roiNumType: check.IndexAttribute(a, "roi_num_type", ir.I64),
	}, a.Err()
}
