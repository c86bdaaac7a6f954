package attention

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// split returns [batch, rows, heads*size] as [batch, heads, rows, size].
func split(n *convert.Node, v convert.Value, heads int64) convert.Value {
	return swapped(n, apart(n, v, heads))
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
	return n.Reshape(swapped(n, v), n.IntValues(0, 0, -1), true)
}

// swapped exchanges the axes 1 and 2 of a value of four axes.
func swapped(n *convert.Node, v convert.Value) convert.Value {
	return n.Layer("Transpose", 1, nil, v, n.IntValues(0, 2, 1, 3))
}

// repeated returns keys or values, [batch, heads, rows, size], with as many heads as query: each is
// repeated for a group of heads of the query that follow each other.
func repeated(n *convert.Node, v, query convert.Value) convert.Value {
	heads, all := length(n, v, 1), length(n, query, 1)
	groups := divide(n, all, heads)
	if known, ok := n.Ints(groups); ok && known[0] == 1 {
		return v
	}
	target := n.Concat(0, n.IntValues(1, 1), groups, n.IntValues(1, 1))
	v4 := n.ShapeOf(v)
	v = n.Layer("Broadcast", 3, convert.Attributes("mode", "bidirectional"), n.Unsqueeze(v, 2), target)
	return n.Reshape(v, n.Concat(0, n.Slice(v4, 0, 0, 1), all, n.Slice(v4, 0, 2, 4)), false)
}

// firstRows returns the first rows, a number of length 1, of [batch, heads, rows, size].
func firstRows(n *convert.Node, v, number convert.Value) convert.Value {
	return n.Layer("Slice", 8, nil, v, n.IntValues(0), number, n.IntValues(1), n.IntValues(2))
}

// length returns the length of an axis of v, as a value of i64 of length 1.
func length(n *convert.Node, v convert.Value, axis int64) convert.Value {
	return n.Slice(n.ShapeOf(v), 0, axis, axis+1)
}

func subtract(n *convert.Node, a, b convert.Value) convert.Value {
	return n.Layer("Subtract", 1, nil, a, b)
}

func divide(n *convert.Node, a, b convert.Value) convert.Value {
	return n.Layer("Divide", 1, convert.Attributes("m_pythondiv", false), a, b)
}

func add(n *convert.Node, a, b convert.Value) convert.Value { return n.Layer("Add", 1, nil, a, b) }

func multiply(n *convert.Node, a, b convert.Value) convert.Value {
	return n.Layer("Multiply", 1, nil, a, b)
}

// numbers returns 0, 1, 2 and so on, before a limit of length 1.
func numbers(n *convert.Node, limit convert.Value) convert.Value {
	return n.Layer("Range", 4, convert.Attributes("output_type", ir.I64), n.IntValue(0), n.Squeeze(limit, 0), n.IntValue(1))
}

// gather returns the elements of v at indices along an axis.
func gather(n *convert.Node, v, indices convert.Value, axis int64) convert.Value {
	return n.Layer("Gather", 8, convert.Attributes("batch_dims", 0), v, indices, n.IntValue(axis))
}
