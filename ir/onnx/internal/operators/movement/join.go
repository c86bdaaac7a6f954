package movement

import (
	"math"

	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// joinRules returns the rules of operators that order, join, split and repeat.
func joinRules() []convert.Rule {
	some := infer.Arity{Min: 1, Max: -1}
	return []convert.Rule{
		{Operator: "Concat", Versions: []int{1, 4, 11, 13}, Inputs: some, Outputs: count(1), Convert: concat},
		{Operator: "DepthToSpace", Versions: []int{1, 11, 13, 28}, Inputs: count(1), Outputs: count(1), Convert: depthToSpace},
		{Operator: "Expand", Versions: []int{8, 13}, Inputs: count(2), Outputs: count(1), Convert: expand},
		{Operator: "ReverseSequence", Versions: []int{10, 28}, Inputs: count(2), Outputs: count(1), Convert: reverseSequence},
		{Operator: "Split", Versions: []int{1, 2, 11, 13, 18}, Inputs: between(1, 2), Outputs: some, Convert: split},
		{Operator: "Tile", Versions: []int{1}, Inputs: count(3), Outputs: count(1), Convert: tileAxis},
		{Operator: "Tile", Versions: []int{6, 13}, Inputs: count(2), Outputs: count(1), Convert: tile},
		{Operator: "Transpose", Versions: newAxes(1, 13), Inputs: count(1), Outputs: count(1), Convert: transpose},
	}
}

// concat joins values along an axis, which has a default only in version 1.
func concat(n *convert.Node) []convert.Value {
	if n.Version >= 4 {
		n.RequireAttribute("axis")
	}
	return []convert.Value{n.Concat(n.Int("axis", 1), n.Inputs()...)}
}

// depthToSpace moves blocks of channels to rows and columns. In the mode CRD, which came with
// version 11, the elements of a block are neighbours.
func depthToSpace(n *convert.Node) []convert.Value {
	n.RequireAttribute("blocksize")
	mode := "blocks_first"
	if n.Enum("mode", "DCR", "DCR", "CRD") == "CRD" {
		mode = "depth_first"
	}
	attributes := convert.Attributes("block_size", n.Int("blocksize", 0), "mode", mode)
	return []convert.Value{n.Layer("DepthToSpace", 1, attributes, n.Input(0))}
}

// expand broadcasts data and a shape, so that 1 in the shape keeps the length of data.
func expand(n *convert.Node) []convert.Value {
	return []convert.Value{n.Layer("Broadcast", 3, convert.Attributes("mode", "bidirectional"), n.Input(0), n.Input(1))}
}

// reverseSequence reverses the first elements of each sequence.
func reverseSequence(n *convert.Node) []convert.Value {
	attributes := convert.Attributes("batch_axis", n.Int("batch_axis", 1), "seq_axis", n.Int("time_axis", 0))
	return []convert.Value{n.Layer("ReverseSequence", 1, attributes, n.Input(0), n.Input(1))}
}

// tile repeats data along each axis.
func tile(n *convert.Node) []convert.Value {
	return []convert.Value{n.Layer("Tile", 1, nil, n.Input(0), n.Input(1))}
}

// tileAxis repeats data along one axis; both numbers are inputs of one element.
func tileAxis(n *convert.Node) []convert.Value {
	axes := n.RequireInts(n.Input(2), "the axis")
	rank := n.RequireRank(n.Input(0), "input 0")
	if len(axes) != 1 {
		n.Fail("the axis has %d elements, expected 1", len(axes))
		return nil
	}
	axis := n.Axis(axes[0], rank)
	repeats := make([]convert.Value, rank)
	for i := range repeats {
		repeats[i] = n.IntValues(1)
	}
	if n.Failed() {
		return nil
	}
	repeats[axis] = n.Reshape(n.Input(1), n.IntValues(1), false)
	return []convert.Value{n.Layer("Tile", 1, nil, n.Input(0), n.Concat(0, repeats...))}
}

// transpose changes the order of the axes.
func transpose(n *convert.Node) []convert.Value {
	return []convert.Value{n.Layer("Transpose", 1, nil, n.Input(0), perm(n, n.Input(0)))}
}

// split splits data along an axis: into parts of the given lengths or, without them, into equal
// parts, one for each output. Since version 18 the last one may be shorter.
func split(n *convert.Node) []convert.Value {
	data, axis := n.Input(0), n.Int("axis", 0)
	lengths := ints(n, "split", 1, 13)
	if n.Version == 1 && n.Has(1) {
		lengths = n.Input(1)
	}
	parts := int64(n.Outputs())
	if n.HasAttribute("num_outputs") {
		if parts = n.Int("num_outputs", 0); parts != int64(n.Outputs()) {
			n.Fail("attribute num_outputs is %d, the node has %d outputs", parts, n.Outputs())
		}
	}
	if lengths.Absent() {
		lengths = equalParts(n, data, axis, parts)
	}
	if known, ok := n.Ints(lengths); ok && int64(len(known)) != parts {
		n.Fail("split has %d lengths, the node has %d outputs", len(known), parts)
	}
	return n.Layer("VariadicSplit", 1, nil, data, n.IntValue(axis), lengths).Outputs(n.Outputs())
}

// equalParts returns the lengths of parts of data along an axis: the smallest that is enough for
// all, and for the last one the rest.
func equalParts(n *convert.Node, data convert.Value, axis, parts int64) convert.Value {
	if parts < 1 {
		n.Fail("data cannot be split into %d parts", parts)
	}
	if n.Failed() {
		return convert.Value{}
	}
	if rank := n.Rank(data); rank >= 0 {
		if d := n.Length(data, n.Axis(axis, rank)); d.IsStatic() {
			part := (d.Min + parts - 1) / parts
			if n.Version < 18 && d.Min%parts != 0 {
				n.Fail("axis %d of length %d cannot be split into %d equal parts", axis, d.Min, parts)
			}
			lengths := make([]int64, parts)
			for i, left := 0, d.Min; i < len(lengths); i++ {
				lengths[i] = min(part, left)
				left -= lengths[i]
			}
			return n.IntValues(lengths...)
		}
	}
	length := arithmetic.Lengths(n, data, axis)
	up := arithmetic.Add(n, length, n.IntValue(parts-1))
	part := arithmetic.Divide(n, up, n.IntValue(parts))
	// Each part ends where the next one starts, at most at the end of data.
	var ends []convert.Value
	for i := range parts + 1 {
		ends = append(ends, arithmetic.Minimum(n, arithmetic.Multiply(n, part, n.IntValue(i)), length))
	}
	all := n.Concat(0, ends...)
	return arithmetic.Subtract(n, n.Slice(all, 0, 1, math.MaxInt64), n.Slice(all, 0, 0, -1))
}
