package activation

import (
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// microsoftRules returns the rules of ONNX Runtime's functions of one element, some of which add a
// bias first.
func microsoftRules() []convert.Rule {
	var rules []convert.Rule
	for _, r := range []struct {
		operator string
		inputs   infer.Arity
		convert  func(n *convert.Node) convert.Value
	}{
		{"BiasAdd", infer.Arity{Min: 3, Max: 3}, biasAdd},
		{"BiasGelu", infer.Arity{Min: 2, Max: 2}, func(n *convert.Node) convert.Value { return geluOf(n, biased(n), "ERF") }},
		{"BiasSplitGelu", infer.Arity{Min: 2, Max: 2}, biasSplitGelu},
		{"FastGelu", infer.Arity{Min: 1, Max: 2}, func(n *convert.Node) convert.Value { return geluOf(n, biased(n), "TANH") }},
		{"Gelu", infer.Arity{Min: 1, Max: 1}, func(n *convert.Node) convert.Value { return geluOf(n, n.Input(0), "ERF") }},
		{"QuickGelu", infer.Arity{Min: 1, Max: 1}, quickGelu},
		{"ScaledSiLU", infer.Arity{Min: 1, Max: 1}, scaledSiLU},
	} {
		rules = append(rules, convert.Rule{
			Domain: "com.microsoft", Operator: r.operator, Versions: []int{1}, Inputs: r.inputs, Outputs: infer.Arity{Min: 1, Max: 1},
			Convert: func(n *convert.Node) []convert.Value { return []convert.Value{r.convert(n)} },
		})
	}
	return rules
}

// biased returns the sum of the first input and the second one, if that is there.
func biased(n *convert.Node) convert.Value {
	return arithmetic.Sum(n, n.Input(0), n.Input(1))
}

// geluOf adds the Gelu of a mode.
func geluOf(n *convert.Node, x convert.Value, mode string) convert.Value {
	return n.Layer("Gelu", 7, convert.Attributes("approximation_mode", mode), x)
}

// biasAdd adds a bias, and what goes around the layers before.
func biasAdd(n *convert.Node) convert.Value {
	return arithmetic.Sum(n, n.Input(0), n.Input(1), n.Input(2))
}

// biasSplitGelu multiplies the first half of each row by the Gelu of the second half.
func biasSplitGelu(n *convert.Node) convert.Value {
	halves := n.Split(biased(n), -1, 2)
	return arithmetic.Multiply(n, halves[0], geluOf(n, halves[1], "ERF"))
}

// quickGelu is x * sigmoid(alpha*x).
func quickGelu(n *convert.Node) convert.Value {
	x := n.Input(0)
	return n.Layer("Swish", 4, nil, x, n.Like(x, float64(n.Float("alpha", 1.702))))
}

// scaledSiLU is alpha*x * sigmoid(alpha*x).
func scaledSiLU(n *convert.Node) convert.Value {
	x := n.Input(0)
	return n.Layer("Swish", 4, nil, arithmetic.Times(n, x, float64(n.Float("alpha", 1))))
}
