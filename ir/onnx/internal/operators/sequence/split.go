package sequence

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// split cuts a tensor along an axis into a sequence: into parts of one length, the last of which
// can be shorter, or into those whose lengths are given. Without lengths, the parts have length 1,
// and keepdims says whether they keep the axis.
func split(n *convert.Node) []convert.Value {
	x := n.Input(0)
	rank := n.RequireRank(x, "the input")
	axis := n.Axis(n.Int("axis", 0), rank)
	keep := n.Bool("keepdims", true) || n.Has(1)
	if n.Failed() {
		return nil
	}
	total, length := n.Shape(x).At(axis), int64(1)
	if n.Has(1) {
		switch rank := n.RequireRank(n.Input(1), "split"); {
		case n.Failed():
			return nil
		case rank == 1:
			return []convert.Value{n.List(n.Type(x), singles(splitInto(n, x, axis, total)...))}
		case rank > 1:
			n.Fail("split has rank %d, expected 0 or 1", rank)
			return nil
		}
		if lengths := n.RequireInts(n.Input(1), "split"); n.Failed() {
			return nil
		} else if length = lengths[0]; length < 1 {
			n.Fail("split is %d, expected a positive number", length)
			return nil
		}
	}
	switch {
	case total.IsStatic():
		return []convert.Value{n.List(n.Type(x), singles(splitEvenly(n, x, axis, total.Min, length, keep)...))}
	case length > 1:
		return unknownLength(n, "axis %d of the input has an unknown length", axis)
	}
	stack := x
	if axis > 0 {
		stack = move(n, x, axis, 0)
	}
	if keep {
		stack = n.Unsqueeze(stack, int64(axis)+1)
	}
	return []convert.Value{n.List(n.Type(x), []convert.Part{{Kind: convert.PartStack, Value: stack}})}
}

// splitEvenly returns the parts of an axis with a known total, which have a length.
func splitEvenly(n *convert.Node, x convert.Value, axis int, total, length int64, keep bool) []convert.Value {
	count := total / length
	if total%length > 0 {
		count++
	}
	if n.Reserve(count); n.Failed() {
		return nil
	}
	lengths := make([]int64, count)
	for i := range lengths {
		lengths[i] = min(length, total-int64(i)*length)
	}
	parts := variadicSplit(n, x, axis, n.IntValues(lengths...), int(count))
	if !keep {
		for i, v := range parts {
			parts[i] = n.Squeeze(v, int64(axis))
		}
	}
	return parts
}

// splitInto returns parts of the lengths that input 1 has.
func splitInto(n *convert.Node, x convert.Value, axis int, total ir.Dimension) []convert.Value {
	count := n.Shape(n.Input(1)).At(0)
	if !count.IsStatic() {
		unknownLength(n, "the number of lengths in split is not known")
		return nil
	}
	if lengths, known := n.Ints(n.Input(1)); known {
		sum := int64(0)
		for _, length := range lengths {
			if length < 0 || sum+length < sum {
				n.Fail("split has the length %d", length)
				return nil
			}
			sum += length
		}
		if total.IsStatic() && sum != total.Min {
			n.Fail("the lengths in split have the sum %d, and axis %d has length %d", sum, axis, total.Min)
			return nil
		}
	}
	if n.Reserve(count.Min); n.Failed() {
		return nil
	}
	return variadicSplit(n, x, axis, n.Input(1), int(count.Min))
}

// variadicSplit returns count parts of the given lengths.
func variadicSplit(n *convert.Node, x convert.Value, axis int, lengths convert.Value, count int) []convert.Value {
	if count == 0 || n.Failed() {
		return nil
	}
	layer := n.Layer("VariadicSplit", 1, nil, x, n.IntValue(int64(axis)), lengths)
	parts := make([]convert.Value, count)
	for i := range parts {
		parts[i] = layer.Output(i)
	}
	return parts
}
