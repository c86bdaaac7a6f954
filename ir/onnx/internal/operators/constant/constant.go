// Package constant converts operators whose output does not depend on the elements of a tensor:
// Constant, ConstantOfShape, Shape, Size, and Identity.
package constant

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	one := infer.Arity{Min: 1, Max: 1}
	return []convert.Rule{
		{Operator: "Constant", Versions: []int{1, 9, 11, 12, 13, 19, 21, 23, 24, 25}, Outputs: one, Convert: constant},
		{Operator: "ConstantOfShape", Versions: []int{9, 20, 21, 23, 24, 25}, Inputs: one, Outputs: one, Convert: constantOfShape},
		{Operator: "Identity", Versions: []int{1, 13, 14, 16, 19, 21, 23, 24, 25}, Inputs: one, Outputs: one, AnyKind: true, Convert: identity},
		{Operator: "Shape", Versions: []int{1, 13, 15, 19, 21, 23, 24, 25}, Inputs: one, Outputs: one, Convert: shape},
		{Operator: "Size", Versions: []int{1, 13, 19, 21, 23, 24, 25}, Inputs: one, Outputs: one, Convert: size},
	}
}

// constant gives the value in one of several attributes, which is a scalar in value_int,
// value_float and value_string.
func constant(n *convert.Node) []convert.Value {
	switch {
	case n.HasAttribute("value"):
		return []convert.Value{n.Value(n.Tensor("value"))}
	case n.HasAttribute("sparse_value"):
		return []convert.Value{n.Value(n.SparseTensor("sparse_value"))}
	case n.HasAttribute("value_int"):
		return []convert.Value{n.IntValue(n.Int("value_int", 0))}
	case n.HasAttribute("value_ints"):
		return []convert.Value{n.IntValues(n.IntList("value_ints")...)}
	case n.HasAttribute("value_float"):
		return []convert.Value{n.Scalar(ir.F32, float64(n.Float("value_float", 0)))}
	case n.HasAttribute("value_floats"):
		return []convert.Value{n.ValueOf(n.FloatList("value_floats"))}
	case n.HasAttribute("value_string"):
		return []convert.Value{n.ValueOf(n.Text("value_string", ""))}
	case n.HasAttribute("value_strings"):
		return []convert.Value{n.ValueOf(n.TextList("value_strings"))}
	}
	n.Fail("the node has no attribute value, or one like it")
	return nil
}

// constantOfShape fills a tensor with the one element of the attribute value, a 0 of f32 by
// default.
func constantOfShape(n *convert.Node) []convert.Value {
	var fill convert.Value
	if value := n.Tensor("value"); value == nil {
		fill = n.Scalar(ir.F32, 0)
	} else if value.Len() != 1 {
		n.Fail("attribute value has %d elements, expected 1", value.Len())
	} else {
		fill = n.Reshape(n.Value(value), n.IntValues(), false)
	}
	lengths := n.Input(0)
	if known, ok := n.Ints(lengths); ok && slices.ContainsFunc(known, func(length int64) bool { return length < 0 }) {
		n.Fail("the shape %v has a negative length", known)
	}
	return []convert.Value{arithmetic.Broadcast(n, fill, lengths)}
}

// identity gives its input another name.
func identity(n *convert.Node) []convert.Value { return []convert.Value{n.Input(0)} }

// shape gives the lengths of the axes from start to before end, which count from the end if they
// are negative, and are clamped. Versions before 15 have neither.
func shape(n *convert.Node) []convert.Value {
	lengths := n.ShapeOf(n.Input(0))
	start, end := n.Int("start", 0), n.Int("end", math.MaxInt64)
	if start == 0 && end == math.MaxInt64 {
		return []convert.Value{lengths}
	}
	return []convert.Value{n.Slice(lengths, 0, start, end)}
}

// size gives the number of elements.
func size(n *convert.Node) []convert.Value {
	lengths := n.ShapeOf(n.Input(0))
	return []convert.Value{n.Layer("ReduceProd", 1, convert.Attributes("keep_dims", false), lengths, n.IntValue(0))}
}
