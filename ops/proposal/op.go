// Package proposal infers Proposal, which makes regions of interest from anchors at every point of
// a feature map, and selects those with the highest scores that do not overlap much.
//
// Versions: Proposal-1; Proposal-4, with a second output.
//
// Inputs, each of a floating-point type: class_probs [N,A*2,H,W], bbox_deltas [N,A*4,H,W] and
// image_shape [3] or [4].
//
// Outputs, of the type of class_probs: the regions [N*post_nms_topn,5], and their probabilities
// [N*post_nms_topn].
//
// Attributes: base_size, pre_nms_topn, post_nms_topn, nms_thresh, feat_stride, min_size, ratio and
// scale have no default. clip_before_nms is true by default, clip_after_nms and normalize are
// false, box_size_scale and box_coordinate_scale are 1, and framework is empty, which means Caffe.
//
// Errors: batches or numbers of anchors that differ.
//
// Specification: OpenVINO operation set, detection, Proposal-1, Proposal-4.
package proposal

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{proposal(1), proposal(4)}

func proposal(version int) ops.Op {
	return ops.Op{
		Type: "Proposal", Version: version,
		Inputs:     ops.Exactly(3),
		Attributes: func(a *ir.Attributes) (any, error) { return parse(a, version) },
		Infer:      infer,
	}
}

type attributes struct {
	postNMSTopN   int64
	probabilities bool // the layer has them as an output
}

func parse(a *ir.Attributes, version int) (any, error) {
	for _, name := range []string{
		"base_size", "pre_nms_topn", "post_nms_topn", "nms_thresh", "feat_stride", "min_size", "ratio", "scale",
	} {
		a.Expect(name)
	}
	for _, name := range []string{"base_size", "pre_nms_topn", "feat_stride", "min_size"} {
		a.Int(name, 0)
	}
	for _, name := range []string{"nms_thresh", "box_size_scale", "box_coordinate_scale"} {
		a.Float(name, 1)
	}
	a.Floats("ratio")
	a.Floats("scale")
	a.Bool("clip_before_nms", true)
	a.Bool("clip_after_nms", false)
	a.Bool("normalize", false)
	a.String("framework", "")
	return attributes{a.Int("post_nms_topn", 0), version >= 4}, a.Err()
}
