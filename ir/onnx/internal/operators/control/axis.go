package control

import (
	"math"

	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// The ports of a Loop have no axes that are counted from the end. Where the rank is not known, a
// value is cut and joined along axis 0, and transposed before or after the loop.

// counted returns v and an axis of it that is not negative, which has the elements of axis.
func counted(n *convert.Node, v convert.Value, axis int64) (convert.Value, int64) {
	switch rank := n.Rank(v); {
	case axis >= 0:
		return v, axis
	case rank >= 0:
		return v, int64(n.Axis(axis, rank))
	}
	at, axes := fromEnd(n, v, axis)
	before, after := part(n, axes, n.IntValues(0), at), part(n, axes, arithmetic.Plus(n, at, 1), n.IntValues(math.MaxInt64))
	return n.Layer("Transpose", 1, nil, v, n.Concat(0, at, before, after)), 0
}

// putBack returns v with axis 0 in the place of axis, which is negative.
func putBack(n *convert.Node, v convert.Value, axis int64) convert.Value {
	at, axes := fromEnd(n, v, axis)
	next := arithmetic.Plus(n, at, 1)
	before, after := part(n, axes, n.IntValues(1), next), part(n, axes, next, n.IntValues(math.MaxInt64))
	return n.Layer("Transpose", 1, nil, v, n.Concat(0, before, n.IntValues(0), after))
}

// fromEnd returns a negative axis of v, counted from the start, and the numbers of all axes.
func fromEnd(n *convert.Node, v convert.Value, axis int64) (at, axes convert.Value) {
	return arithmetic.Plus(n, n.ShapeOf(n.ShapeOf(v)), float64(axis)), n.AxesFrom(v, 0)
}

// part returns the elements of a list from start to before end.
func part(n *convert.Node, list, start, end convert.Value) convert.Value {
	return n.Layer("Slice", 8, nil, list, start, end, n.IntValues(1))
}
