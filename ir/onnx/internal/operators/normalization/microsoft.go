package normalization

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// microsoftRules returns the rules of ONNX Runtime's normalizations, most of which add something
// first. SimplifiedLayerNormalization has no domain in its files.
func microsoftRules() []convert.Rule {
	rules := []convert.Rule{
		{Operator: "EmbedLayerNormalization", Inputs: infer.Arity{Min: 1, Max: 9}, Outputs: infer.Arity{Min: 1, Max: 3}, Convert: embed},
		{Operator: "GroupNorm", Inputs: infer.Arity{Min: 3, Max: 3}, Outputs: infer.Arity{Min: 1, Max: 1}, Convert: groupNorm},
		{Operator: "SkipGroupNorm", Inputs: infer.Arity{Min: 4, Max: 5}, Outputs: infer.Arity{Min: 1, Max: 2}, Convert: groupNorm},
		{Operator: "SkipLayerNormalization", Inputs: infer.Arity{Min: 3, Max: 5}, Outputs: infer.Arity{Min: 1, Max: 4}, Convert: skipLayer},
		{Operator: "SkipSimplifiedLayerNormalization", Inputs: infer.Arity{Min: 3, Max: 4}, Outputs: infer.Arity{Min: 1, Max: 4}, Convert: skipRMS},
	}
	for i := range rules {
		rules[i].Domain, rules[i].Versions = "com.microsoft", []int{1}
	}
	return append(rules, convert.Rule{
		Operator: "SimplifiedLayerNormalization", Versions: []int{1}, Inputs: infer.Arity{Min: 2, Max: 2}, Outputs: infer.Arity{Min: 1, Max: 2}, Convert: simplified,
	})
}

// simplified is RMSNormalization. Output 1 is the inverse of what x is divided by.
func simplified(n *convert.Node) []convert.Value {
	x := n.Input(0)
	return rmsOf(n, x, n.Input(1), axesFrom(n, x), n.Float("epsilon", 1e-5))
}

// skipLayer normalises the last axis of the sum of the input, what goes around the layers before,
// and a bias. Outputs 1 and 2 are those of LayerNormalization, output 3 is the sum.
func skipLayer(n *convert.Node) []convert.Value {
	x := arithmetic.Sum(n, n.Input(0), n.Input(1), n.Input(4))
	return append(layerOf(n, x, n.Input(2), n.Input(3), n.IntValues(-1), n.Float("epsilon", 1e-12)), x)
}

// skipRMS is skipLayer with RMSNormalization, which has no mean: output 1 does not exist.
func skipRMS(n *convert.Node) []convert.Value {
	x := arithmetic.Sum(n, n.Input(0), n.Input(1), n.Input(3))
	y := rmsOf(n, x, n.Input(2), n.IntValues(-1), n.Float("epsilon", 1e-12))
	return []convert.Value{y[0], {}, y[1], x}
}

// embed normalises the sum of the embeddings of words, of positions, and of segments. Without
// position_ids the positions are 0, 1, 2 and so on. Output 1 is the number of words that a mask of
// each row keeps, 0 without a mask; output 2 is the sum.
func embed(n *convert.Node) []convert.Value {
	ids, segments, mask, positions := n.Input(0), n.Input(1), n.Input(7), n.Input(8)
	for _, i := range []int{2, 3, 5, 6} {
		n.RequireInput(i)
	}
	if segments.Absent() == n.Has(4) {
		n.Fail("segment_ids and segment_embedding must be there both, or neither")
		return nil
	}
	rows := func(table, ids convert.Value) convert.Value {
		return arithmetic.Gather(n, table, ids, 0)
	}
	if positions.Absent() {
		positions = arithmetic.Range(n, arithmetic.Length(n, ids, 1), ir.I64)
	}
	x := arithmetic.Sum(n, rows(n.Input(2), ids), rows(n.Input(3), positions))
	if !segments.Absent() {
		x = arithmetic.Sum(n, x, rows(n.Input(4), segments))
	}
	y := layerOf(n, x, n.Input(5), n.Input(6), n.IntValues(-1), n.Float("epsilon", 1e-12))
	var kept convert.Value
	switch {
	case !n.Wants(1):
	case mask.Absent():
		kept = arithmetic.Broadcast(n, n.Scalar(ir.I32, 0), n.Slice(n.ShapeOf(ids), 0, 0, 1))
	default:
		kept = n.Layer("ReduceSum", 1, convert.Attributes("keep_dims", false), n.Convert(mask, ir.I32), n.IntValue(1))
	}
	return []convert.Value{y[0], kept, x}
}

// groupNorm normalises groups of channels, which are the last axis unless channels_last is 0.
// SkipGroupNorm adds what goes around the layers before, which can have length 1 in place of those
// of pictures, and a bias first; its output 1 is the sum.
func groupNorm(n *convert.Node) []convert.Value {
	n.RequireAttribute("groups")
	n.RequireAttribute("activation")
	x, skip, bias := n.Input(0), n.Input(3), n.Input(4)
	last := n.Bool("channels_last", true)
	if !skip.Absent() {
		if n.Rank(skip) == 2 {
			skip = n.Unsqueeze(skip, 1, 2)
		}
		x = arithmetic.Sum(n, x, skip, bias)
	}
	y := x
	if last {
		y = n.Transpose(y, 0, 3, 1, 2)
	}
	attributes := convert.Attributes("num_groups", n.Int("groups", 1), "epsilon", n.Float("epsilon", 1e-5))
	t := n.Type(y)
	y = n.Layer("GroupNormalization", 12, attributes, y, n.Convert(n.Input(1), t), n.Convert(n.Input(2), t))
	if last {
		y = n.Transpose(y, 0, 2, 3, 1)
	}
	switch activation := n.Int("activation", 0); activation {
	case 0:
	case 1:
		y = n.Layer("Swish", 4, nil, y)
	default:
		n.Fail("attribute activation is %d, expected 0 or 1", activation)
	}
	return []convert.Value{y, x}
}
