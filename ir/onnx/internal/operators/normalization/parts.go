package normalization

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// byMeanSquares returns x of f32, divided by the root of the mean of its squares along the last
// axis.
func byMeanSquares(n *convert.Node, x convert.Value, epsilon float32) convert.Value {
	factor := inverse(n, mean(n, arithmetic.Multiply(n, x, x), n.IntValues(-1)), epsilon)
	return arithmetic.Multiply(n, x, factor)
}

// gatedRMS normalises parts of the last axis that are as long as the scale, and multiplies them by
// a gate: its sigmoid, or itself times that.
func gatedRMS(n *convert.Node) []convert.Value {
	x, scale := n.Input(0), n.Convert(n.Input(1), ir.F32)
	shape := n.ShapeOf(x)
	parts := n.Reshape(n.Convert(x, ir.F32), n.Concat(0, n.Slice(shape, 0, 0, -1), n.IntValues(-1), n.ShapeOf(scale)), false)
	y := arithmetic.Multiply(n, byMeanSquares(n, parts, n.Float("epsilon", 1e-5)), scale)
	gate := n.Convert(n.Input(2), ir.F32)
	if n.Enum("activation", "silu", "silu", "swish", "sigmoid") == "sigmoid" {
		gate = n.Layer("Sigmoid", 1, nil, gate)
	} else {
		gate = n.Layer("Swish", 4, nil, gate)
	}
	return []convert.Value{n.Convert(arithmetic.Multiply(n, n.Reshape(y, shape, false), gate), n.Type(x))}
}

// branchwiseRMS normalises each branch: the last axis or, with num_branches, each of so many parts
// of it. The scale is one for all of them, or one for each, perhaps joined.
func branchwiseRMS(n *convert.Node) []convert.Value {
	x, scale := n.Input(0), n.Input(1)
	shape := n.ShapeOf(x)
	wide := n.Convert(x, ir.F32)
	if branches := n.Int("num_branches", 0); branches > 0 {
		wide = n.Reshape(wide, n.Concat(0, n.Slice(shape, 0, 0, -1), n.IntValues(branches, -1)), false)
	}
	y := byMeanSquares(n, wide, n.Float("epsilon", 1e-5))
	if !scale.Absent() {
		size := n.Slice(n.ShapeOf(y), 0, -1, math.MaxInt64)
		y = arithmetic.Multiply(n, y, n.Reshape(n.Convert(scale, ir.F32), n.Concat(0, n.IntValues(-1), size), false))
	}
	return []convert.Value{n.Convert(n.Reshape(y, shape, false), n.Type(x))}
}
