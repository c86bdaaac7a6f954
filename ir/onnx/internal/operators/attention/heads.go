package attention

import (
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// split returns [batch, rows, heads*size] as [batch, heads, rows, size].
func split(n *convert.Node, v convert.Value, heads int64) convert.Value {
	return n.Transpose(apart(n, v, heads), 0, 2, 1, 3)
}

// apart returns [batch, rows, heads*size] as [batch, rows, heads, size].
func apart(n *convert.Node, v convert.Value, heads int64) convert.Value {
	if heads <= 0 {
		n.Fail("the number of heads is %d, expected at least 1", heads)
	}
	return n.Reshape(v, n.IntValues(0, 0, heads, -1), true)
}

// join returns [batch, heads, rows, size] as [batch, rows, heads*size].
func join(n *convert.Node, v convert.Value) convert.Value {
	return n.Reshape(n.Transpose(v, 0, 2, 1, 3), n.IntValues(0, 0, -1), true)
}

// repeated returns keys or values, [batch, heads, rows, size], with as many heads as query: each is
// repeated for a group of heads of the query that follow each other.
func repeated(n *convert.Node, v, query convert.Value) convert.Value {
	heads, all := arithmetic.Lengths(n, v, 1), arithmetic.Lengths(n, query, 1)
	groups := arithmetic.Divide(n, all, heads)
	if known, ok := n.Ints(groups); ok && known[0] == 1 {
		return v
	}
	shape := n.Concat(0, arithmetic.Lengths(n, v, 0), all, arithmetic.Lengths(n, v, 2, 3))
	target := n.Concat(0, n.IntValues(1, 1), groups, n.IntValues(1, 1))
	v = n.Layer("Broadcast", 3, convert.Attributes("mode", "bidirectional"), n.Unsqueeze(v, 2), target)
	return n.Reshape(v, shape, false)
}

// firstRows returns the first rows, a number of length 1, of [batch, heads, rows, size].
func firstRows(n *convert.Node, v, number convert.Value) convert.Value {
	return n.Layer("Slice", 8, nil, v, n.IntValues(0), number, n.IntValues(1), n.IntValues(2))
}
