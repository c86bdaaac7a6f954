package sequence

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Stack returns the tensors of a list, joined along a new axis 0. They must be of one shape.
func Stack(n *convert.Node, list *convert.List) convert.Value {
	stacks := make([]convert.Value, len(list.Parts))
	for i, part := range list.Parts {
		switch part.Kind {
		case convert.PartSingle:
			stacks[i] = n.Unsqueeze(part.Value, 0)
		case convert.PartStack:
			stacks[i] = part.Value
		case convert.PartCarried, convert.PartJoined:
			unknownLength(n, "it is read in the loop that appends to it")
			return convert.Value{}
		}
	}
	switch len(stacks) {
	case 0:
		n.Fail("the sequence has no tensors")
		return convert.Value{}
	case 1:
		return stacks[0]
	}
	for i, v := range stacks {
		if a, b := n.Shape(stacks[0]), n.Shape(v); a.RankKnown() && b.RankKnown() && a.Rank() != b.Rank() {
			n.Fail("tensors 0 and %d have rank %d and %d in a sequence that is read where data says", i, a.Rank()-1, b.Rank()-1)
			return convert.Value{}
		}
	}
	return n.Concat(0, stacks...)
}

// JoinedAlong returns the axis along which a node joins the tensors of a sequence of the given
// rank, or false if it does anything else.
func JoinedAlong(n *convert.Node, rank int) (axis int, ok bool) {
	if n.Operator() != "ConcatFromSequence" || n.Bool("new_axis", false) || !n.HasAttribute("axis") {
		return 0, false
	}
	axis = n.Axis(n.Int("axis", 0), rank)
	return axis, !n.Failed()
}

// concat joins the tensors of a sequence along an axis, which new_axis adds to them.
func concat(n *convert.Node) []convert.Value {
	list := requireList(n, 0)
	n.RequireAttribute("axis")
	axis, added := n.Int("axis", 0), n.Bool("new_axis", false)
	if n.Failed() {
		return nil
	}
	if len(list.Parts) == 1 && list.Parts[0].Kind == convert.PartJoined {
		return []convert.Value{list.Parts[0].Value}
	}
	if _, known := list.Length(); !known {
		return []convert.Value{concatStack(n, Stack(n, list), axis, added)}
	}
	tensors := n.Input(0).Tensors()
	if len(tensors) == 0 {
		n.Fail("the sequence has no tensors")
		return nil
	}
	if added {
		for i, v := range tensors {
			tensors[i] = n.Unsqueeze(v, axis)
		}
	}
	return []convert.Value{n.Concat(axis, tensors...)}
}

// concatStack joins the tensors that a stack has on axis 0 along another axis.
func concatStack(n *convert.Node, stack convert.Value, axis int64, added bool) convert.Value {
	if added && axis == 0 {
		return stack
	}
	rank := n.RequireRank(stack, "the tensors of the sequence")
	if n.Failed() {
		return convert.Value{}
	}
	if !added {
		rank--
	}
	at := n.Axis(axis, rank)
	if n.Failed() {
		return convert.Value{}
	}
	if at > 0 {
		stack = move(n, stack, 0, at)
	}
	if added {
		return stack
	}
	lengths := n.ShapeOf(stack)
	merged := []convert.Value{n.Slice(lengths, 0, 0, int64(at)), n.Elements(stack, int64(at), int64(at)+2), n.Slice(lengths, 0, int64(at)+2, math.MaxInt64)}
	return n.Reshape(stack, n.Concat(0, merged...), false)
}

// move returns v with an axis at another place among the others.
func move(n *convert.Node, v convert.Value, from, to int) convert.Value {
	var order []int64
	for axis := range n.Rank(v) {
		if axis != from {
			order = append(order, int64(axis))
		}
	}
	return n.Layer("Transpose", 1, nil, v, n.IntValues(slices.Insert(order, to, int64(from))...))
}
