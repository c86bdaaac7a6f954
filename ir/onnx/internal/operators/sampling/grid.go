package sampling

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// affineGrid returns where the elements of an image of a size are before an affine map, in the
// coordinates of GridSample: maps [N,2,3] give [N,H,W,2], and maps [N,3,4] give [N,D,H,W,3].
func affineGrid(n *convert.Node) []convert.Value {
	theta, size := n.Input(0), n.Input(1)
	axes := imageAxes(n, n.Shape(theta), n.Shape(size))
	if n.Failed() {
		return nil
	}
	t := n.Type(theta)
	lengths := n.Slice(size, 0, 2, math.MaxInt64)
	// A point has the coordinates x, y and in a volume z, and then 1.
	var point []convert.Value
	full := n.Concat(0, lengths, n.IntValues(1))
	for axis := axes - 1; axis >= 0; axis-- {
		shape := make([]int64, axes+1)
		for i := range shape {
			shape[i] = 1
		}
		shape[axis] = -1
		line := coordinates(n, arithmetic.Gather(n, lengths, n.IntValue(int64(axis)), 0), t)
		point = append(point, arithmetic.Broadcast(n, n.Reshape(line, n.IntValues(shape...), false), full))
	}
	point = append(point, arithmetic.Broadcast(n, n.Scalar(t, 1), full))
	points := n.Reshape(n.Concat(int64(axes), point...), n.IntValues(1, -1, int64(axes+1)), false)
	grid := arithmetic.MatMul(n, points, theta, false, true)
	shape := n.Concat(0, n.Slice(size, 0, 0, 1), lengths, n.IntValues(int64(axes)))
	return []convert.Value{n.Reshape(grid, shape, false)}
}

// imageAxes returns the number of axes of the image of AffineGrid: 2 or 3.
func imageAxes(n *convert.Node, theta, size ir.PartialShape) int {
	axes := int64(0)
	switch {
	case size.Rank() == 1 && size.At(0).IsStatic():
		axes = size.At(0).Min - 2
	case theta.Rank() == 3 && theta.At(1).IsStatic():
		axes = theta.At(1).Min
	default:
		n.Fail("the length of size must be known")
	}
	if axes != 2 && axes != 3 {
		n.Fail("size is for an image of %d axes, expected 2 or 3", axes)
	}
	return int(axes)
}

// coordinates returns where the elements of an axis are: from -1 to 1, which are the edges or, with
// align_corners, the centres of the first and the last element.
func coordinates(n *convert.Node, length convert.Value, t ir.ElementType) convert.Value {
	i := arithmetic.Range(n, length, t)
	length = n.Convert(length, t)
	if n.Bool("align_corners", false) {
		steps := arithmetic.Maximum(n, arithmetic.Plus(n, length, -1), n.Scalar(t, 1))
		return arithmetic.Plus(n, arithmetic.Divide(n, arithmetic.Times(n, i, 2), steps), -1)
	}
	return arithmetic.Plus(n, arithmetic.Divide(n, arithmetic.Plus(n, arithmetic.Times(n, i, 2), 1), length), -1)
}

// gridSample reads an image at the places that a grid gives. There is a layer for images of two
// axes.
func gridSample(n *convert.Node) []convert.Value {
	mode := n.Enum("mode", "linear", "linear", "nearest", "cubic", "bilinear", "bicubic")
	switch mode {
	case "linear":
		mode = "bilinear"
	case "cubic":
		mode = "bicubic"
	}
	padding := n.Enum("padding_mode", "zeros", "zeros", "border", "reflection")
	data, grid := n.Input(0), n.Input(1)
	rank := max(n.Rank(data), n.Rank(grid))
	if rank < 0 || rank == 4 {
		attributes := convert.Attributes("mode", mode, "padding_mode", padding, "align_corners", n.Bool("align_corners", false))
		return []convert.Value{n.Layer("GridSample", 9, attributes, data, grid)}
	}
	if rank < 3 {
		n.Fail("the rank is %d, expected at least 3", rank)
		return nil
	}
	return []convert.Value{gridSampleN(n, rank-2, mode, padding)}
}

// gridSampleN is gridSample for any number of axes of the image.
func gridSampleN(n *convert.Node, axes int, mode, padding string) convert.Value {
	data, grid := n.Input(0), n.Input(1)
	lengths := n.Slice(n.ShapeOf(data), 0, 2, math.MaxInt64)
	s := sampler{nearest: mode == "nearest", cubic: mode == "bicubic", zeros: padding == "zeros", round: "half_to_even"}
	for axis := range axes {
		length := arithmetic.Gather(n, lengths, n.IntValue(int64(axis)), 0)
		// The last axis of the image has the first coordinate.
		g := arithmetic.Gather(n, grid, n.IntValue(int64(axes-1-axis)), -1)
		e := edgesOf(n, n.Convert(length, n.Type(g)))
		axis := sampledAxis{length: length, position: n.Reshape(e.position(n, g, padding, &s), n.IntValues(0, -1), true)}
		if s.cubic && padding == "reflection" {
			axis.moved = func(index convert.Value) convert.Value { return e.reflected(n, index) }
		}
		s.axes = append(s.axes, axis)
	}
	batch := n.Slice(n.ShapeOf(data), 0, 0, 2)
	s.data = n.Reshape(data, n.IntValues(0, 0, -1), true)
	sampled := s.sample(n)
	return n.Reshape(sampled, n.Concat(0, batch, n.Slice(n.ShapeOf(grid), 0, 1, -1)), false)
}

// edges are what the coordinates -1 and 1 stand for on an axis: low, and low plus span. last is the
// last element.
type edges struct{ low, span, last convert.Value }

// edgesOf returns the edges of an axis of a length, or the centres of its first and last element.
func edgesOf(n *convert.Node, length convert.Value) edges {
	last := arithmetic.Plus(n, length, -1)
	if n.Bool("align_corners", false) {
		return edges{n.Like(length, 0), last, last}
	}
	return edges{n.Like(length, -0.5), length, last}
}

// position returns the place of a coordinate, moved to the image if the padding has no zeros.
// Places are rounded before that. A cubic function also has those between an edge and the centre
// next to it.
func (e *edges) position(n *convert.Node, g convert.Value, padding string, s *sampler) convert.Value {
	half := arithmetic.Times(n, arithmetic.Plus(n, g, 1), 0.5)
	x := arithmetic.Add(n, arithmetic.Multiply(n, half, e.span), e.low)
	if s.nearest {
		x = n.Layer("Round", 5, convert.Attributes("mode", s.round), x)
	}
	zero := n.Like(g, 0)
	switch {
	case padding == "border" && s.cubic:
		outside := n.Layer("LogicalOr", 1, nil, n.Layer("Less", 1, nil, x, e.low), n.Layer("Greater", 1, nil, x, arithmetic.Add(n, e.low, e.span)))
		return arithmetic.Select(n, outside, arithmetic.Clamp(n, x, zero, e.last), x)
	case padding == "border":
		return arithmetic.Clamp(n, x, zero, e.last)
	case padding == "reflection" && s.cubic:
		return e.reflected(n, x)
	case padding == "reflection":
		return arithmetic.Clamp(n, e.reflected(n, x), zero, e.last)
	}
	return x
}

// reflected returns x, reflected at the edges until it is between them. The distance from low,
// modulo twice the span, falls again beyond the span. Aligned, an image of one element has no span.
func (e *edges) reflected(n *convert.Node, x convert.Value) convert.Value {
	twice := arithmetic.Times(n, arithmetic.Maximum(n, e.span, n.Like(x, 0x1p-126)), 2)
	distance := n.Layer("FloorMod", 1, nil, arithmetic.Subtract(n, x, e.low), twice)
	return arithmetic.Add(n, arithmetic.Minimum(n, distance, arithmetic.Subtract(n, twice, distance)), e.low)
}
