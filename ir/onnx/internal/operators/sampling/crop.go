package sampling

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// cropAndResize gives regions of images one size, by interpolation. A region is y1, x1, y2 and x2
// from 0 to 1, the centres of the first and the last element; what is outside has a value of its
// own.
func cropAndResize(n *convert.Node) []convert.Value {
	data, rois, size := n.Input(0), n.Input(1), n.Input(3)
	s := sampler{nearest: n.Enum("mode", "bilinear", "bilinear", "nearest") == "nearest", round: "half_away_from_zero"}
	shape := n.ShapeOf(data)
	lengths := n.Slice(shape, 0, 2, math.MaxInt64)
	full := n.Concat(0, n.Slice(n.ShapeOf(rois), 0, 0, 1), n.Convert(size, n.Type(shape)))
	flat := n.IntValues(1, -1)
	var outside convert.Value
	for axis := range int64(2) {
		length := arithmetic.Gather(n, lengths, n.IntValue(axis), 0)
		last := n.Convert(arithmetic.Plus(n, length, -1), n.Type(rois))
		x := n.Convert(cropped(n, rois, arithmetic.Gather(n, full, n.IntValue(axis+1), 0), axis), n.Type(rois))
		x = arithmetic.Multiply(n, x, last)
		beyond := n.Layer("LogicalOr", 1, nil, n.Layer("Less", 1, nil, x, n.Like(x, 0)), n.Layer("Greater", 1, nil, x, last))
		if outside.Absent() {
			outside = beyond
		} else {
			outside = n.Layer("LogicalOr", 1, nil, outside, beyond)
		}
		s.axes = append(s.axes, sampledAxis{length: length, position: n.Reshape(arithmetic.Broadcast(n, x, full), flat, false)})
	}
	s.data, s.first = images(n, n.Input(2), full)

	sampled := s.sample(n)
	sampled = n.Reshape(sampled, n.Concat(0, n.Slice(shape, 0, 1, 2), full), false)
	sampled = n.Transpose(sampled, 1, 0, 2, 3)
	value := n.Like(sampled, float64(n.Float("extrapolation_value", 0)))
	return []convert.Value{arithmetic.Select(n, n.Unsqueeze(outside, 1), value, sampled)}
}

// images returns the images of the first input as one, [1, channels, elements], so that a place can
// be in any of them, and the index of the first element of each place's image, [1, places]. The
// places have a shape, whose first axis is that of the regions; indices has the image of each
// region.
func images(n *convert.Node, indices, shape convert.Value) (data, first convert.Value) {
	all := n.ShapeOf(n.Input(0))
	elements := n.Layer("ReduceProd", 1, convert.Attributes("keep_dims", false), n.Slice(all, 0, 2, math.MaxInt64), n.IntValue(0))
	first = arithmetic.Multiply(n, n.Convert(indices, ir.I64), elements)
	first = n.Layer("Broadcast", 3, convert.Attributes("mode", "explicit"), first, shape, n.IntValues(0))
	channels := n.Transpose(n.Input(0), 1, 0, 2, 3)
	return n.Unsqueeze(n.Reshape(channels, n.IntValues(0, -1), true), 0), n.Reshape(first, n.IntValues(1, -1), false)
}

// cropped returns where the new elements of an axis are, from 0 to 1: [regions, 1, columns], or
// [regions, rows, 1] for the rows. A single one is in the middle.
func cropped(n *convert.Node, rois, count convert.Value, axis int64) convert.Value {
	at := func(i int64) convert.Value {
		return n.Reshape(arithmetic.Gather(n, rois, n.IntValue(i), 1), n.IntValues(-1, 1, 1), false)
	}
	start, end := at(axis), at(axis+2)
	i := arithmetic.Range(n, count, n.Type(rois))
	if axis == 0 {
		i = n.Reshape(i, n.IntValues(1, -1, 1), false)
	} else {
		i = n.Reshape(i, n.IntValues(1, 1, -1), false)
	}
	number := n.Convert(count, n.Type(rois))
	steps := arithmetic.Maximum(n, arithmetic.Plus(n, number, -1), n.Like(rois, 1))
	several := n.Layer("Greater", 1, nil, number, n.Like(rois, 1))
	part := arithmetic.Select(n, several, arithmetic.Divide(n, i, steps), n.Like(rois, 0.5))
	return arithmetic.Add(n, start, arithmetic.Multiply(n, arithmetic.Subtract(n, end, start), part))
}
