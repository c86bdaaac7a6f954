package random

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// dropoutRules returns the rules of Dropout.
func dropoutRules() []convert.Rule {
	one, upTo2 := infer.Arity{Min: 1, Max: 1}, infer.Arity{Min: 1, Max: 2}
	return []convert.Rule{
		{Operator: "Dropout", Versions: []int{1, 6, 7, 10}, Inputs: one, Outputs: upTo2, Convert: dropoutByAttributes},
		{Operator: "Dropout", Versions: []int{12, 13, 22}, Inputs: infer.Arity{Min: 1, Max: 3}, Outputs: upTo2, Convert: dropout},
	}
}

// dropoutByAttributes gives its input, and a mask that keeps all elements. Before version 7,
// training is the default; files that do not say is_test are refused, since they hardly mean it.
func dropoutByAttributes(n *convert.Node) []convert.Value {
	if n.Version < 7 && !n.Bool("is_test", false) {
		n.Unsupported("without is_test, elements are dropped at random, as only in training")
		return nil
	}
	t := ir.Boolean
	if n.Version < 10 {
		t = n.Type(n.Input(0))
	}
	return keptAll(n, t)
}

// keptAll returns the outputs of a node that drops nothing, with a mask of type t.
func keptAll(n *convert.Node, t ir.ElementType) []convert.Value {
	x := n.Input(0)
	if !n.Wants(1) {
		return []convert.Value{x}
	}
	return []convert.Value{x, arithmetic.Broadcast(n, n.Scalar(t, 1), n.ShapeOf(x))}
}

// dropout drops elements with the probability ratio, input 1, if training_mode, input 2, is true.
// Others are divided by the probability that they are kept.
func dropout(n *convert.Node) []convert.Value {
	x := n.Input(0)
	mode, known := n.Ints(n.Input(2))
	ratio := n.Constant(n.Input(1))
	switch never := ratio != nil && ratio.Len() == 1 && ratio.Values()(0) == 0; {
	case never, !n.Has(2), known && len(mode) == 1 && mode[0] == 0:
		return keptAll(n, ir.Boolean)
	}
	t := wide(n.Type(x))
	p := n.Scalar(t, 0.5)
	if n.Has(1) {
		p = n.Convert(arithmetic.Scalar(n, n.Input(1)), t)
	}
	p = arithmetic.Select(n, arithmetic.Scalar(n, n.Input(2)), p, n.Scalar(t, 0))
	attributes := []any{"output_type", t}
	if n.HasAttribute("seed") {
		attributes = append(attributes, "global_seed", n.Int("seed", 0)&(1<<62-1), "op_seed", 1)
	}
	drawn := n.Layer("RandomUniform", 8, convert.Attributes(attributes...), n.ShapeOf(x), n.Scalar(t, 0), n.Scalar(t, 1))
	kept := n.Layer("GreaterEqual", 1, nil, drawn, p)
	scaled := arithmetic.Divide(n, n.Convert(x, t), arithmetic.Subtract(n, n.Scalar(t, 1), p))
	return []convert.Value{n.Convert(arithmetic.Select(n, kept, scaled, n.Scalar(t, 0)), n.Type(x)), kept}
}
