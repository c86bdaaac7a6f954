package movement

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// reshapeRules returns the rules of operators that keep the order of the elements.
func reshapeRules() []convert.Rule {
	return []convert.Rule{
		{Operator: "Flatten", Versions: newAxes(1, 9, 11, 13), Inputs: count(1), Outputs: count(1), Convert: flatten},
		{Operator: "Reshape", Versions: []int{1}, Inputs: count(1), Outputs: count(1), Convert: reshapeByAttribute},
		{Operator: "Reshape", Versions: newAxes(5, 13, 14, 19), Inputs: count(2), Outputs: count(1), Convert: reshape},
		{Operator: "Squeeze", Versions: newAxes(1, 11, 13), Inputs: between(1, 2), Outputs: count(1), Convert: squeeze},
		{Operator: "Unsqueeze", Versions: newAxes(1, 11, 13), Inputs: between(1, 2), Outputs: count(1), Convert: unsqueeze},
	}
}

// reshape gives data the shape of the second input. 0 in it stands for the length of data at that
// position, unless allowzero is set, and -1 for what follows from the other lengths.
func reshape(n *convert.Node) []convert.Value {
	return []convert.Value{n.Reshape(n.Input(0), n.Input(1), !n.Bool("allowzero", false))}
}

// reshapeByAttribute is reshape by an attribute.
func reshapeByAttribute(n *convert.Node) []convert.Value {
	n.RequireAttribute("shape")
	return []convert.Value{n.Reshape(n.Input(0), n.IntValues(n.IntList("shape")...), true)}
}

// flatten joins the axes before axis to one, and the others to another one.
func flatten(n *convert.Node) []convert.Value {
	data, axis := n.Input(0), n.Int("axis", 1)
	switch rank := int64(n.Rank(data)); {
	case rank >= 0 && (axis < -rank || axis > rank):
		n.Fail("attribute axis is %d, expected %d to %d", axis, -rank, rank)
		return nil
	case rank >= 0 && axis < 0:
		axis += rank
	}
	switch axis {
	case 0:
		return []convert.Value{n.Reshape(data, n.IntValues(1, -1), false)}
	case 1:
		// The number of rows is copied, so that an empty tensor has no unknown length.
		return []convert.Value{n.Reshape(data, n.Concat(0, n.Elements(data, 0, 1), n.Elements(data, 1, math.MaxInt64)), false)}
	}
	rows, columns := n.Elements(data, 0, axis), n.Elements(data, axis, math.MaxInt64)
	return []convert.Value{n.Reshape(data, n.Concat(0, rows, columns), false)}
}

// squeeze drops axes of length 1: those that are named or, if none are, all of them.
func squeeze(n *convert.Node) []convert.Value {
	data, axes := n.Input(0), ints(n, "axes", 1, 13)
	if axes.Absent() {
		return []convert.Value{n.Layer("Squeeze", 1, nil, data)}
	}
	return []convert.Value{n.Layer("Squeeze", 1, nil, data, axes)}
}

// unsqueeze adds axes of length 1 at the places in the result that are named.
func unsqueeze(n *convert.Node) []convert.Value {
	axes := ints(n, "axes", 1, 13)
	if axes.Absent() {
		n.Fail("the axes are missing")
		return nil
	}
	if known, ok := n.Ints(axes); ok && len(known) == 0 {
		return []convert.Value{n.Input(0)}
	} else if ok && hasRepeats(known, n.Rank(n.Input(0))) {
		n.Fail("axes %v name one axis twice", known)
		return nil
	}
	return []convert.Value{n.Layer("Unsqueeze", 1, nil, n.Input(0), axes)}
}

// hasRepeats reports whether axes name an axis of the result twice. The rank of the input is -1 if
// it is not known.
func hasRepeats(axes []int64, rank int) bool {
	places := slices.Clone(axes)
	for i := range places {
		if places[i] < 0 && rank >= 0 {
			places[i] += int64(rank + len(axes))
		}
	}
	slices.Sort(places)
	return len(slices.Compact(places)) < len(axes)
}

// perm returns the axes that an attribute gives the order of; by default it is reversed.
func perm(n *convert.Node, data convert.Value) convert.Value {
	if n.HasAttribute("perm") {
		return n.IntValues(n.IntList("perm")...)
	}
	if rank := n.Rank(data); rank >= 0 {
		axes := make([]int64, rank)
		for i := range axes {
			axes[i] = int64(rank - 1 - i)
		}
		return n.IntValues(axes...)
	}
	rank := n.Squeeze(n.ShapeOf(n.ShapeOf(data)), 0)
	last := arithmetic.Subtract(n, rank, n.IntValue(1))
	return n.Layer("Range", 4, convert.Attributes("output_type", ir.I64), last, n.IntValue(-1), n.IntValue(-1))
}
