// Package selection converts operators that find elements, or count: ArgMax, ArgMin, TopK, NonZero,
// Range and CumSum.
package selection

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	one, two, three := infer.Arity{Min: 1, Max: 1}, infer.Arity{Min: 2, Max: 2}, infer.Arity{Min: 3, Max: 3}
	upTo2 := infer.Arity{Min: 1, Max: 2}
	return []convert.Rule{
		{Operator: "ArgMax", Versions: []int{1, 11, 12, 13}, Inputs: one, Outputs: one, Convert: extreme("max")},
		{Operator: "ArgMin", Versions: []int{1, 11, 12, 13}, Inputs: one, Outputs: one, Convert: extreme("min")},
		{Operator: "CumSum", Versions: []int{11, 14}, Inputs: two, Outputs: one, Convert: cumSum},
		{Operator: "NonZero", Versions: []int{9, 13}, Inputs: one, Outputs: one, Convert: nonZero},
		{Operator: "Range", Versions: []int{11, 27}, Inputs: three, Outputs: one, Convert: rangeOf},
		{Operator: "TopK", Versions: []int{1}, Inputs: one, Outputs: two, Convert: topK},
		{Operator: "TopK", Versions: []int{10, 11, 24}, Inputs: two, Outputs: upTo2, Convert: topK},

		{Domain: "com.microsoft", Operator: "Range", Versions: []int{1}, Inputs: infer.Arity{Min: 2, Max: 3}, Outputs: one, Convert: rangeOf},
	}
}

// top adds a TopK along an axis. Of equal elements the one of the lower index is first.
func top(n *convert.Node, x, k convert.Value, axis int64, mode string) convert.Value {
	attributes := convert.Attributes("axis", axis, "mode", mode, "sort", "value", "index_element_type", ir.I64, "stable", true)
	return n.Layer("TopK", 11, attributes, x, k)
}

// extreme returns a rule's function for the index of the first extreme element along an axis, or of
// the last one if select_last_index is set: the first one in reverse order.
func extreme(mode string) func(*convert.Node) []convert.Value {
	return func(n *convert.Node) []convert.Value {
		x, axis := n.Input(0), n.Int("axis", 0)
		last := n.Bool("select_last_index", false)
		if last {
			x = n.Layer("Slice", 8, nil, x, n.IntValues(-1), n.IntValues(math.MinInt64), n.IntValues(-1), n.IntValues(axis))
		}
		found := top(n, x, n.IntValue(1), axis, mode)
		if n.Failed() {
			return nil
		}
		index := found.Output(1)
		if last {
			length := arithmetic.Length(n, x, axis)
			index = arithmetic.Subtract(n, arithmetic.Subtract(n, length, n.IntValue(1)), index)
		}
		if !n.Bool("keepdims", true) {
			index = n.Squeeze(index, axis)
		}
		return []convert.Value{index}
	}
}

// topK gives the k largest or smallest elements along an axis, and their indices. k is an attribute
// in version 1.
func topK(n *convert.Node) []convert.Value {
	k := n.Input(1)
	if n.Version == 1 {
		n.RequireAttribute("k")
		k = n.IntValue(n.Int("k", 0))
	}
	mode := "max"
	if !n.Bool("largest", true) {
		mode = "min"
	}
	values := top(n, n.Input(0), arithmetic.Scalar(n, k), n.Int("axis", -1), mode)
	if n.Failed() {
		return nil
	}
	return []convert.Value{values, values.Output(1)}
}

// cumSum adds each element to those before it along an axis.
func cumSum(n *convert.Node) []convert.Value {
	attributes := convert.Attributes("exclusive", n.Bool("exclusive", false), "reverse", n.Bool("reverse", false))
	return []convert.Value{n.Layer("CumSum", 3, attributes, n.Input(0), arithmetic.Scalar(n, n.Input(1)))}
}

// nonZero gives the coordinates of the elements that are not 0. A scalar counts as one axis.
func nonZero(n *convert.Node) []convert.Value {
	x := n.Input(0)
	if n.Rank(x) == 0 {
		x = n.Unsqueeze(x, 0)
	}
	return []convert.Value{n.Layer("NonZero", 3, convert.Attributes("output_type", ir.I64), x)}
}

// rangeOf counts from a number to before another one, in steps. In com.microsoft, they are 1 by
// default.
func rangeOf(n *convert.Node) []convert.Value {
	start := arithmetic.Scalar(n, n.Input(0))
	step := n.Like(start, 1)
	if n.Has(2) {
		step = arithmetic.Scalar(n, n.Input(2))
	}
	attributes := convert.Attributes("output_type", n.Type(start))
	return []convert.Value{n.Layer("Range", 4, attributes, start, arithmetic.Scalar(n, n.Input(1)), step)}
}
