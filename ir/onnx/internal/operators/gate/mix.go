package gate

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// streams returns the streams of input 0 in f32, [..., streams, size]: with num_branches, they are
// joined in the last axis of the input.
func streams(n *convert.Node) convert.Value {
	x := wide(n, 0)
	branches := n.Int("num_branches", 0)
	if branches < 0 {
		n.Fail("attribute num_branches is %d, expected at least 0", branches)
	}
	if branches == 0 {
		return x
	}
	return n.Reshape(x, n.Concat(0, lead(n, x, 1), n.IntValues(branches, -1)), false)
}

// gates returns an input in f32 as gates of x [..., streams, size]: a number for each stream, or
// for each element, perhaps joined in one axis.
func gates(n *convert.Node, i int, x convert.Value) convert.Value {
	return n.Reshape(wide(n, i), n.Concat(0, lead(n, x, 1), n.IntValues(-1)), false)
}

// preMix is HyperConnectionPreMix: the sum of the streams, times their gates and a factor.
func preMix(n *convert.Node) []convert.Value {
	x := streams(n)
	mixed := arithmetic.Multiply(n, x, gates(n, 1, x))
	sum := n.Layer("ReduceSum", 1, convert.Attributes("keep_dims", false), mixed, n.IntValue(-2))
	return []convert.Value{narrow(n, arithmetic.Times(n, sum, float64(n.Float("reduction_scale", 1))))}
}

// postMix is HyperConnectionPostMix: the streams, mixed by a matrix if there is one, and the output
// of a block for each of them, times its gate.
func postMix(n *convert.Node) []convert.Value {
	x := streams(n)
	mixed := x
	if n.Has(3) {
		mixed = arithmetic.MatMul(n, wide(n, 3), x, true, false)
	}
	added := arithmetic.Multiply(n, gates(n, 2, x), n.Unsqueeze(wide(n, 1), -2))
	return []convert.Value{narrow(n, n.Reshape(arithmetic.Add(n, mixed, added), n.ShapeOf(n.Input(0)), false))}
}

// groupRouter is MoEGroupRouter. It chooses groups of experts by the sum of the largest scores of
// each, and experts of these groups by their scores: the sigmoid of the logits, plus a bias. The
// result has the logarithms of the sigmoids of those that are chosen, and a number for all others.
// Outputs 1 and 2 take its place: the scores and the sigmoids of all experts.
func groupRouter(n *convert.Node) []convert.Value {
	if n.Has(2) {
		n.Unsupported("a projection of its own; ONNX Runtime has it for GPUs only")
		return nil
	}
	experts := last(n, n.Input(0))
	logits := n.Reshape(wide(n, 0), n.Concat(0, n.IntValues(-1), experts), false)
	weights := sigmoid(n, logits)
	scores := arithmetic.Add(n, weights, wide(n, 1))
	n.RequireAttribute("top_k")
	groups := n.Int("n_group", 1)
	if groups < 1 {
		n.Fail("attribute n_group is %d, expected at least 1", groups)
	}
	isIn := n.ValueOf(true)
	if groups > 1 {
		apart := n.Reshape(scores, n.Concat(0, n.IntValues(-1, groups), arithmetic.Divide(n, experts, n.IntValue(groups))), false)
		best, _ := largest(n, apart, n.Int("group_topk", 2))
		isIn = n.Unsqueeze(chosen(n, reduced(n, "ReduceSum", best, false), n.Int("topk_group", 1)), 2)
		isIn = n.Reshape(arithmetic.Broadcast(n, isIn, n.ShapeOf(apart)), n.ShapeOf(scores), false)
	}
	none := n.Scalar(ir.F32, -3.4028234663852886e38)
	isIn = n.Layer("LogicalAnd", 1, nil, isIn, chosen(n, arithmetic.Select(n, isIn, scores, none), n.Int("top_k", 1)))
	logs := n.Layer("Log", 1, nil, arithmetic.Maximum(n, weights, n.Scalar(ir.F32, 1e-20)))
	probabilities := arithmetic.Select(n, isIn, logs, n.Scalar(ir.F32, float64(n.Float("router_sentinel", -10000))))
	return []convert.Value{narrow(n, probabilities), scores, weights}
}

// largest returns the k largest elements of the last axis of v, or all of them if there are fewer,
// and their places.
func largest(n *convert.Node, v convert.Value, k int64) (values, places convert.Value) {
	if k < 1 {
		n.Fail("%d of the largest elements are wanted, expected at least 1", k)
	}
	count := arithmetic.Scalar(n, arithmetic.Minimum(n, n.IntValue(k), last(n, v)))
	attributes := convert.Attributes("axis", -1, "mode", "max", "sort", "value", "index_element_type", ir.I64, "stable", true)
	values = n.Layer("TopK", 11, attributes, v, count)
	if n.Failed() {
		return values, values
	}
	return values, values.Output(1)
}

// chosen returns whether each element of the last axis of v is one of the k largest.
func chosen(n *convert.Node, v convert.Value, k int64) convert.Value {
	_, places := largest(n, v, k)
	one := arithmetic.Broadcast(n, n.Scalar(ir.I32, 1), n.ShapeOf(places))
	zeros := arithmetic.Broadcast(n, n.Scalar(ir.I32, 0), n.ShapeOf(v))
	marks := n.Layer("ScatterElementsUpdate", 12, convert.Attributes("reduction", "none", "use_init_val", true), zeros, places, one, n.IntValue(-1))
	return n.Layer("Greater", 1, nil, marks, n.Scalar(ir.I32, 0))
}
