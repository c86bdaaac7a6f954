package normalization

import (
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// microsoftRules returns the rules of ONNX Runtime's normalizations, most of which add something
// first. SimplifiedLayerNormalization has no domain in its files.
func microsoftRules() []convert.Rule {
	rules := []convert.Rule{
		{Operator: "BranchwiseRMSNorm", Inputs: infer.Arity{Min: 1, Max: 2}, Outputs: infer.Arity{Min: 1, Max: 1}, Convert: branchwiseRMS},
		{Operator: "EmbedLayerNormalization", Inputs: infer.Arity{Min: 1, Max: 9}, Outputs: infer.Arity{Min: 1, Max: 3}, Convert: embed},
		{Operator: "GatedRMSNorm", Inputs: infer.Arity{Min: 3, Max: 3}, Outputs: infer.Arity{Min: 1, Max: 1}, Convert: gatedRMS},
		{Operator: "GroupNorm", Inputs: infer.Arity{Min: 3, Max: 3}, Outputs: infer.Arity{Min: 1, Max: 1}, Convert: groupNorm},
		{Operator: "QEmbedLayerNormalization", Inputs: infer.Arity{Min: 1, Max: 18}, Outputs: infer.Arity{Min: 1, Max: 2}, Convert: quantizedEmbed},
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
