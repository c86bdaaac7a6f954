package resize

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// weights returns the matrix [new elements, old elements] of an axis, of type t.
//
// An old element has a weight that falls with its distance from x. With antialias, where an axis
// shrinks, the distance shrinks too, so that more elements count; their weights add up to 1. The
// elements next to the ends count as if they were repeated outside or, with exclude_outside, the
// weights inside add up to 1.
func (r *request) weights(n *convert.Node, x convert.Value, a *axis, t ir.ElementType) convert.Value {
	reach := 1.0
	if r.mode == "cubic" {
		reach = 2
	}
	shrink := n.Like(x, 1)
	if r.antialias {
		shrink = arithmetic.Minimum(n, a.scale, shrink)
	}
	// Elements from -margin to before length+margin have a weight.
	margin := n.Like(x, 0)
	if !r.excludeOutside {
		margin = n.Layer("Ceiling", 1, nil, arithmetic.Plus(n, arithmetic.Divide(n, n.Like(x, reach), shrink), 1))
	}
	count := n.Convert(arithmetic.Add(n, a.length, arithmetic.Times(n, margin, 2)), ir.I64)
	elements := arithmetic.Subtract(n, arithmetic.Range(n, count, ir.F32), margin)
	distance := n.Layer("Abs", 1, nil, arithmetic.Subtract(n, elements, n.Unsqueeze(x, 1)))
	distance = arithmetic.Multiply(n, distance, shrink)
	var weights convert.Value
	if r.mode == "cubic" {
		weights = r.cubicWeights(n, distance)
	} else {
		one := n.Like(x, 1)
		weights = arithmetic.Maximum(n, arithmetic.Subtract(n, one, distance), n.Like(x, 0))
	}
	if r.antialias || r.excludeOutside {
		weights = normalized(n, weights)
	}
	if !r.excludeOutside {
		last := arithmetic.Plus(n, a.length, -1)
		inside := n.Convert(arithmetic.Clamp(n, elements, n.Like(x, 0), last), ir.I64)
		attributes := convert.Attributes("axis", 1, "negative_indices_mode", "ignore_negative")
		length := n.Convert(a.length, ir.I64)
		repeated := n.Layer("OneHot", 16, attributes, inside, length, n.Like(x, 1), n.Like(x, 0))
		weights = arithmetic.MatMul(n, weights, repeated, false, false)
	}
	return n.Convert(weights, t)
}

// normalized divides weights by their sums; those of a row whose sum is 0 stay.
func normalized(n *convert.Node, weights convert.Value) convert.Value {
	sum := n.Layer("ReduceSum", 1, convert.Attributes("keep_dims", true), weights, n.IntValue(1))
	none := n.Layer("Equal", 1, nil, sum, n.Like(sum, 0))
	return arithmetic.Divide(n, weights, arithmetic.Select(n, none, n.Like(sum, 1), sum))
}

// cubicWeights returns the weights of cubic convolution at distances d >= 0, by its coefficient a:
//
//	((a+2)*d - (a+3))*d*d + 1       if d <= 1
//	((d-5)*d + 8)*d*a - 4*a         if d < 2
//	0                               otherwise
func (r *request) cubicWeights(n *convert.Node, d convert.Value) convert.Value {
	a := float64(r.cubic)
	near := arithmetic.Plus(n, arithmetic.Times(n, d, a+2), -a-3)
	near = arithmetic.Plus(n, arithmetic.Multiply(n, near, arithmetic.Multiply(n, d, d)), 1)
	far := arithmetic.Plus(n, arithmetic.Multiply(n, arithmetic.Plus(n, d, -5), d), 8)
	far = arithmetic.Plus(n, arithmetic.Times(n, arithmetic.Multiply(n, far, d), a), -4*a)
	isNear := n.Layer("LessEqual", 1, nil, d, n.Like(d, 1))
	isFar := n.Layer("Less", 1, nil, d, n.Like(d, 2))
	return arithmetic.Select(n, isNear, near, arithmetic.Select(n, isFar, far, n.Like(d, 0)))
}

// product multiplies v along an axis by a matrix [new elements, old elements]. The rank is that of
// v, which is not known of a product with a matrix of unknown rank.
func product(n *convert.Node, matrix, v convert.Value, axis, rank int64) convert.Value {
	multiply := func(a, b convert.Value, transposeB bool) convert.Value {
		return arithmetic.MatMul(n, a, b, false, transposeB)
	}
	switch axis {
	case rank - 1:
		return multiply(v, matrix, true)
	case rank - 2:
		return multiply(matrix, v, false)
	}
	swapped := make([]int64, rank)
	for i := range swapped {
		swapped[i] = int64(i)
	}
	swapped[axis], swapped[rank-1] = rank-1, axis
	last := n.Transpose(v, swapped...)
	return n.Transpose(multiply(last, matrix, true), swapped...)
}
