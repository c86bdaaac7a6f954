package quantization

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// broadcast returns v, a scale or zero points, in a shape that broadcasts to that of x.
func (p Linear) broadcast(n *convert.Node, v, x convert.Value) convert.Value {
	switch {
	case v.Absent() || n.Rank(v) == 0:
		return v
	case p.Block > 0:
		return p.repeat(n, v, x)
	}
	rank := n.RequireRank(v, "the scale or the zero point")
	switch {
	case n.Failed():
		return v
	case rank > 1:
		n.Fail("the scale or the zero point has rank %d, expected at most 1 without blocks", rank)
		return v
	case n.Shape(v).At(0) == ir.Dim(1):
		return arithmetic.Scalar(n, v)
	case p.Axis < 0:
		if n.CheckAxis(p.Axis, n.Rank(x)); n.Failed() {
			return v
		}
		return n.Reshape(v, n.IntValues(onesAfter(-p.Axis-1)...), false)
	}
	if rank := n.Rank(x); rank >= 0 {
		axis := n.Axis(p.Axis, rank)
		return n.Reshape(v, n.IntValues(onesAfter(int64(rank-axis-1))...), false)
	}
	after := n.Slice(n.ShapeOf(x), 0, p.Axis+1, math.MaxInt64)
	ones := arithmetic.Broadcast(n, n.IntValue(1), n.ShapeOf(after))
	return n.Reshape(v, n.Concat(0, n.IntValues(-1), ones), false)
}

// onesAfter returns a shape of a length that follows from the others, before axes of length 1.
func onesAfter(axes int64) []int64 {
	shape := []int64{-1}
	for range axes {
		shape = append(shape, 1)
	}
	return shape
}

// repeat returns v with each element repeated along the axis of the blocks of x, the last block of
// which can be short.
func (p Linear) repeat(n *convert.Node, v, x convert.Value) convert.Value {
	places := arithmetic.Range(n, arithmetic.Length(n, x, p.Axis), ir.I64)
	return arithmetic.Gather(n, v, arithmetic.Divide(n, places, n.IntValue(p.Block)), p.Axis)
}
