package foreign

import (
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/convolution"
)

// priorBox lays boxes of sizes and ratios on a grid.
func priorBox(n *convert.Node) []convert.Value {
	return priors(n, 8, []any{
		"min_size", []float32{}, "max_size", []float32{}, "aspect_ratio", []float32{}, "flip", false, "clip", false, "step", float32(0),
		"offset", float32(0), "variance", []float32{}, "scale_all_sizes", true, "fixed_ratio", []float32{}, "fixed_size", []float32{},
		"density", []float32{}, "min_max_aspect_ratios_order", true,
	})
}

// priorBoxClustered lays boxes of pairs of a width and a height on a grid.
func priorBoxClustered(n *convert.Node) []convert.Value {
	return priors(n, 1, []any{
		"width", []float32{}, "height", []float32{}, "clip", false, "variance", []float32{0.1}, "step_h", float32(0), "step_w", float32(0),
		"offset", float32(0),
	})
}

// priors adds the layer of the operator for the grid of a feature map [N,C,H,W] over an image
// [N,C,H,W]. The result has the axis of a batch.
func priors(n *convert.Node, opset int, attributes []any) []convert.Value {
	size := func(v convert.Value) convert.Value { return n.Slice(n.ShapeOf(v), 0, 2, 4) }
	boxes := n.Layer(n.Operator(), opset, convert.Attributes(values(n, attributes)...), size(n.Input(0)), size(n.Input(1)))
	return []convert.Value{n.Unsqueeze(boxes, 0)}
}

// generateProposals makes regions of anchors [A,4], which are the same at all places of an image.
func generateProposals(n *convert.Node) []convert.Value {
	attributes := convert.Attributes("min_size", n.Float("min_size", 1), "nms_threshold", n.Float("nms_thresh", 0.7),
		"pre_nms_count", n.Int("pre_nms_topN", 6000), "post_nms_count", n.Int("post_nms_topN", 300), "normalized", !n.Bool("legacy_plus_one", true))
	scores, deltas, images, anchors := n.Input(0), n.Input(1), n.Input(2), n.Input(3)
	places := n.Concat(0, n.Slice(n.ShapeOf(scores), 0, 2, 4), n.ShapeOf(anchors))
	rois := n.Layer("GenerateProposals", 9, attributes, images, arithmetic.Broadcast(n, anchors, places), deltas, scores)
	if n.Failed() {
		return nil
	}
	return []convert.Value{rois, rois.Output(1), rois.Output(2)}
}

// normalize divides by the root of the sum of squares of the channels or, with across_spatial, of
// all axes but the batch, and multiplies by weights: one for each channel or, with channel_shared,
// one for all.
func normalize(n *convert.Node) []convert.Value {
	data, weights := n.Input(0), n.Input(1)
	axes := n.IntValues(1)
	if n.Bool("across_spatial", false) {
		axes = n.AxesFrom(data, 1)
	}
	if !n.Bool("channel_shared", false) {
		rank := n.RequireRank(data, "data")
		shape := []int64{1, -1}
		for axis := 2; axis < rank; axis++ {
			shape = append(shape, 1)
		}
		weights = n.Reshape(weights, n.IntValues(shape...), false)
	}
	y := n.Layer("NormalizeL2", 1, convert.Attributes("eps", n.Float("eps", 0), "eps_mode", "add"), data, axes)
	return []convert.Value{arithmetic.Multiply(n, y, weights)}
}

// deformableConvolution is a convolution whose window reads places that input 1 moves, and input 3
// weighs.
func deformableConvolution(n *convert.Node) []convert.Value {
	attributes := convolution.WindowAttributes(n, 2, "group", n.Int("group", 1), "deformable_group", n.Int("deformable_groups", 1))
	return []convert.Value{n.Layer("DeformableConvolution", 8, attributes, n.Inputs()...)}
}
