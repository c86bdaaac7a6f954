// Package pattern converts operators that make or keep elements by a pattern: Compress, EyeLike,
// OneHot, Trilu and Unique.
package pattern

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	one, two, upTo2 := infer.Arity{Min: 1, Max: 1}, infer.Arity{Min: 2, Max: 2}, infer.Arity{Min: 1, Max: 2}
	return []convert.Rule{
		{Operator: "Compress", Versions: []int{9, 11, 28}, Inputs: two, Outputs: one, Convert: compress},
		{Operator: "EyeLike", Versions: []int{9, 22}, Inputs: one, Outputs: one, Convert: eyeLike},
		{Operator: "OneHot", Versions: []int{9, 11, 28}, Inputs: infer.Arity{Min: 3, Max: 3}, Outputs: one, Convert: oneHot},
		{Operator: "Trilu", Versions: []int{14}, Inputs: upTo2, Outputs: one, Convert: trilu},
		{Operator: "Unique", Versions: []int{11, 28}, Inputs: one, Outputs: infer.Arity{Min: 1, Max: 4}, Convert: unique},

		{Domain: "com.microsoft", Operator: "Trilu", Versions: []int{1}, Inputs: upTo2, Outputs: one, Convert: trilu},
		{Domain: "com.microsoft", Operator: "Unique", Versions: []int{1}, Inputs: one, Outputs: infer.Arity{Min: 3, Max: 3}, Convert: uniqueInOrder},
	}
}

// compress keeps the elements along an axis for which a condition holds; without an axis, those of
// all elements. The condition can be shorter than the axis.
func compress(n *convert.Node) []convert.Value {
	data, axis := n.Input(0), n.Int("axis", 0)
	if !n.HasAttribute("axis") {
		data = n.Reshape(data, n.IntValues(-1), false)
	}
	kept := n.Squeeze(n.Layer("NonZero", 3, convert.Attributes("output_type", ir.I64), n.Input(1)), 0)
	return []convert.Value{arithmetic.Gather(n, data, kept, axis)}
}

// eyeLike makes a matrix of the shape of its input, with ones on a diagonal.
func eyeLike(n *convert.Node) []convert.Value {
	t := n.ElementType("dtype", n.Type(n.Input(0)))
	rows, columns := arithmetic.Length(n, n.Input(0), 0), arithmetic.Length(n, n.Input(0), 1)
	return []convert.Value{n.Layer("Eye", 9, convert.Attributes("output_type", t), rows, columns, n.IntValue(n.Int("k", 0)))}
}

// oneHot sets one element of each row to the second of two values, and the others to the first. A
// negative index counts from the end, also in version 9.
func oneHot(n *convert.Node) []convert.Value {
	indices, depth := n.Convert(n.Input(0), ir.I64), n.Convert(arithmetic.Scalar(n, n.Input(1)), ir.I64)
	off, on := arithmetic.Gather(n, n.Input(2), n.IntValue(0), 0), arithmetic.Gather(n, n.Input(2), n.IntValue(1), 0)
	attributes := convert.Attributes("axis", n.Int("axis", -1), "negative_indices_mode", "normalize")
	return []convert.Value{n.Layer("OneHot", 16, attributes, indices, depth, on, off)}
}

// trilu keeps the upper or the lower triangle of matrices, which starts or ends at diagonal k, and
// makes the other elements 0.
func trilu(n *convert.Node) []convert.Value {
	x, k := n.Input(0), n.IntValue(0)
	if n.Has(1) {
		k = arithmetic.Scalar(n, n.Input(1))
	}
	rows := n.Unsqueeze(arithmetic.Range(n, arithmetic.Length(n, x, -2), ir.I64), 1)
	columns := arithmetic.Range(n, arithmetic.Length(n, x, -1), ir.I64)
	compare := "LessEqual"
	if n.Bool("upper", true) {
		compare = "GreaterEqual"
	}
	kept := n.Layer(compare, 1, nil, columns, arithmetic.Add(n, rows, k))
	return []convert.Value{arithmetic.Select(n, kept, x, n.Like(x, 0))}
}

// unique finds the different elements, or the different slices along an axis, and where they are.
func unique(n *convert.Node) []convert.Value {
	inputs := []convert.Value{n.Input(0)}
	if n.HasAttribute("axis") {
		inputs = append(inputs, n.IntValue(n.Int("axis", 0)))
	}
	found := n.Layer("Unique", 10, uniqueAttributes(n.Bool("sorted", true)), inputs...)
	if n.Failed() {
		return nil
	}
	return []convert.Value{found, found.Output(1), found.Output(2), found.Output(3)}
}

// uniqueInOrder finds the different elements in the order in which they come, the number among
// these of each element, and how often each is there.
func uniqueInOrder(n *convert.Node) []convert.Value {
	found := n.Layer("Unique", 10, uniqueAttributes(false), n.Input(0))
	if n.Failed() {
		return nil
	}
	return []convert.Value{found, found.Output(2), found.Output(3)}
}

// uniqueAttributes returns the attributes of the layer Unique.
func uniqueAttributes(sorted bool) []ir.Attribute {
	return convert.Attributes("sorted", sorted, "index_element_type", ir.I64, "count_element_type", ir.I64)
}
