// Package proposal computes Proposal, which makes regions of interest from anchors at every point
// of a feature map, and selects those with the highest scores that do not overlap much.
//
// Versions: Proposal-1; Proposal-4, with a second output.
//
// Inputs, of one type, f32, f64, f16 or bf16: class_probs [N,A*2,H,W], of which the second half of
// the channels are scores, bbox_deltas [N,A*4,H,W] and image_shape [3] or [4]: height, width, and
// one scale or those of the height and the width.
//
// Outputs, of the type of class_probs: the regions [N*post_nms_topn,5], each the number of the
// image and two corners, and their probabilities [N*post_nms_topn]. After the regions of an image
// come rows of zeros, the first of which has -1 in place of the image, and probabilities of 0.
//
// There is an anchor for each ratio r and, inside, each scale s: a box of width w*s and height
// w*r*s, where w is base_size/sqrt(r). It is laid at each point of the map, feat_stride apart. Then
//
//	x = anchor x + dx/box_coordinate_scale*width,   width = anchor width * exp(dw/box_size_scale)
//
// and the same for y and the height. With framework tensorflow, the corners are real numbers, the
// centre of the anchors is at the points, and anchors are clipped to the image before. As in
// OpenVINO, x then runs along the height of the map and of the image. Otherwise, corners are pixels
// that belong to the box, w and w*r are rounded, and the anchor of the first point has its centre
// at (base_size-1)/2. As in OpenVINO, the second corner of a refined box is a pixel further than
// its width and height.
//
// Boxes smaller than min_size times the scale count as boxes of score 0. The pre_nms_topn boxes of
// the highest scores are then taken, and of these, in the order of their scores, each whose IoU
// with all regions taken before is not above nms_thresh. Of equal scores, the one of the lowest
// row, column and anchor comes first. NaN comes last. clip_before_nms clips boxes to the image
// before these steps, with NaN as 0, clip_after_nms the regions, and normalize divides them by the
// size of the image.
//
// Attributes: base_size, pre_nms_topn, post_nms_topn, nms_thresh, feat_stride, min_size, ratio and
// scale have no default. clip_before_nms is true by default, clip_after_nms and normalize are
// false, box_size_scale and box_coordinate_scale are 1, and framework is empty, which means caffe.
//
// Errors: batches or numbers of anchors that differ; before running also inputs of different types,
// a number of channels that is not that of the anchors, a ratio or pre_nms_topn that is not above
// 0, and another framework; in a run, a size of the image that is not above 0 and a negative scale,
// and those that are not finite.
//
// Specification: OpenVINO operation set, detection, Proposal-1, Proposal-4.
package proposal

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/floats"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{proposal(1), proposal(4)}

func proposal(version int) ops.Op {
	return ops.Op{
		Type: "Proposal", Version: version,
		Written:    1 + version/4,
		Inputs:     ops.Exactly(3),
		Types:      floats.Types,
		Attributes: func(a *ir.Attributes) (any, error) { return parse(a, version) },
		Infer:      infer,
		Prepare:    prepare,
	}
}

type attributes struct {
	baseSize, preNMSTopN, postNMSTopN, featStride, minSize int64
	nmsThresh, boxSizeScale, boxCoordinateScale            float64
	ratio, scale                                           []float64
	clipBeforeNMS, clipAfterNMS, normalize                 bool
	framework                                              string
	probabilities                                          bool // the layer has them as an output
}

func parse(a *ir.Attributes, version int) (any, error) {
	for _, name := range []string{
		"base_size", "pre_nms_topn", "post_nms_topn", "nms_thresh", "feat_stride", "min_size", "ratio", "scale",
	} {
		a.Expect(name)
	}
	return attributes{
		baseSize: a.Int("base_size", 0), preNMSTopN: a.Int("pre_nms_topn", 0), postNMSTopN: a.Int("post_nms_topn", 0),
		featStride: a.Int("feat_stride", 0), minSize: a.Int("min_size", 0),
		nmsThresh: a.Float("nms_thresh", 1), boxSizeScale: a.Float("box_size_scale", 1), boxCoordinateScale: a.Float("box_coordinate_scale", 1),
		ratio: a.Floats("ratio"), scale: a.Floats("scale"),
		clipBeforeNMS: a.Bool("clip_before_nms", true), clipAfterNMS: a.Bool("clip_after_nms", false), normalize: a.Bool("normalize", false),
		framework:     a.String("framework", ""),
		probabilities: version >= 4,
	}, a.Err()
}
