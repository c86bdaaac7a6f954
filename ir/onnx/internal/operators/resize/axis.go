package resize

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// axis is one axis that is resized. All values are scalars.
type axis struct {
	number int64
	// length and resized are the old and the new length, of f32; count is the new one, of i64.
	length, resized, count convert.Value
	// scale is that of the coordinates: it need not be the quotient of the lengths.
	scale convert.Value
	// start and end are the part that is resized, from 0 to 1, in the mode tf_crop_and_resize.
	start, end convert.Value
}

// byAxis resizes one axis after the other.
func (r *request) byAxis(n *convert.Node) convert.Value {
	result := n.Input(0)
	rank := n.RequireRank(result, "input 0")
	numbers := r.allAxes(n, rank)
	kept := r.kept(n, numbers)
	places := r.changed(n, numbers)
	if r.coordinates == cropAndResize { // the part can change the elements though the length stays
		places = places[:0]
		for i := range numbers {
			places = append(places, int64(i))
		}
	}
	if n.Failed() {
		return convert.Value{}
	}
	t := n.Type(result)
	if r.mode != "nearest" && t.IsInteger() {
		result = n.Convert(result, exact(t))
	}
	var outside convert.Value
	for _, place := range places {
		a := r.axis(n, numbers, place, kept)
		x := r.position(n, &a)
		if r.mode == "nearest" {
			result = arithmetic.Gather(n, result, r.nearestIndices(n, x, &a), a.number)
		} else {
			result = product(n, r.weights(n, x, &a, n.Type(result)), result, a.number, int64(rank))
		}
		if r.coordinates == cropAndResize {
			outside = union(n, outside, r.outside(n, x, &a, rank))
		}
		if n.Failed() {
			return convert.Value{}
		}
	}
	if !outside.Absent() {
		result = arithmetic.Select(n, outside, n.Like(result, float64(r.extrapolation)), result)
	}
	return rounded(n, result, t)
}

// exact returns a type of floats that has all integers of t, but for those of 64 bits.
func exact(t ir.ElementType) ir.ElementType {
	if t.Bits() <= 16 {
		return ir.F32
	}
	return ir.F64
}

// rounded returns v with type t: integers are rounded, with halves to even, and limited to t.
func rounded(n *convert.Node, v convert.Value, t ir.ElementType) convert.Value {
	if n.Type(v) == t || n.Failed() {
		return v
	}
	low, high, _ := t.Limits()
	v = n.Layer("Round", 5, convert.Attributes("mode", "half_to_even"), v)
	return n.Convert(arithmetic.Clamp(n, v, n.Like(v, float64(low)), n.Like(v, float64(high))), t)
}

// kept returns the one scale of all axes for a policy that keeps the ratio of their lengths; absent
// if there is none.
func (r *request) kept(n *convert.Node, axes []int64) convert.Value {
	if r.policy == "stretch" || r.sizes.Absent() {
		return convert.Value{}
	}
	lengths := arithmetic.Gather(n, n.ShapeOf(n.Input(0)), n.IntValues(axes...), 0)
	scales := arithmetic.Divide(n, n.Convert(r.sizes, ir.F32), n.Convert(lengths, ir.F32))
	reduce := "ReduceMax"
	if r.policy == "not_larger" {
		reduce = "ReduceMin"
	}
	return n.Layer(reduce, 1, convert.Attributes("keep_dims", false), scales, n.IntValue(0))
}

// axis returns an axis: the one at a place in axes.
func (r *request) axis(n *convert.Node, axes []int64, place int64, kept convert.Value) axis {
	a := axis{number: axes[place]}
	at := func(list convert.Value, place int64) convert.Value {
		return n.Convert(arithmetic.Gather(n, list, n.IntValue(place), 0), ir.F32)
	}
	a.length = n.Convert(arithmetic.Length(n, n.Input(0), a.number), ir.F32)
	switch {
	case !kept.Absent():
		a.scale = kept
		a.resized = floor(n, arithmetic.Plus(n, arithmetic.Multiply(n, kept, a.length), 0.5))
	case !r.sizes.Absent():
		a.resized = at(r.sizes, place)
		a.scale = arithmetic.Divide(n, a.resized, a.length)
	default:
		a.scale = at(r.scales, place)
		a.resized = floor(n, arithmetic.Multiply(n, a.scale, a.length))
	}
	a.count = n.Convert(a.resized, ir.I64)
	if r.coordinates == cropAndResize {
		a.start, a.end = at(r.roi, place), at(r.roi, place+int64(len(axes)))
	}
	return a
}

// floor returns v without its fraction.
func floor(n *convert.Node, v convert.Value) convert.Value { return n.Layer("Floor", 1, nil, v) }

// position returns where each new element is among the old ones.
func (r *request) position(n *convert.Node, a *axis) convert.Value {
	y := arithmetic.Range(n, a.count, ir.F32)
	last := arithmetic.Plus(n, a.length, -1)
	// The new elements of align_corners and tf_crop_and_resize reach from end to end.
	steps := arithmetic.Maximum(n, arithmetic.Plus(n, a.resized, -1), n.Like(y, 1))
	centre := arithmetic.Divide(n, arithmetic.Plus(n, y, 0.5), a.scale)
	switch r.coordinates {
	case "align_corners":
		return arithmetic.Divide(n, arithmetic.Multiply(n, y, last), steps)
	case "asymmetric":
		return arithmetic.Divide(n, y, a.scale)
	case "tf_half_pixel_for_nn":
		return centre
	case "pytorch_half_pixel":
		several := n.Layer("Greater", 1, nil, a.resized, n.Like(y, 1))
		return arithmetic.Select(n, several, arithmetic.Plus(n, centre, -0.5), n.Like(y, 0))
	case "half_pixel_symmetric":
		// The middles of both are at one place, also if the new length was rounded.
		exact := arithmetic.Multiply(n, a.scale, a.length)
		lost := arithmetic.Subtract(n, n.Like(y, 1), arithmetic.Divide(n, a.resized, exact))
		offset := arithmetic.Multiply(n, arithmetic.Times(n, a.length, 0.5), lost)
		return arithmetic.Add(n, offset, arithmetic.Plus(n, centre, -0.5))
	case cropAndResize:
		part := arithmetic.Multiply(n, arithmetic.Subtract(n, a.end, a.start), last)
		several := arithmetic.Divide(n, arithmetic.Multiply(n, y, part), steps)
		one := n.Layer("Greater", 1, nil, a.resized, n.Like(y, 1))
		within := arithmetic.Select(n, one, several, arithmetic.Times(n, part, 0.5))
		return arithmetic.Add(n, arithmetic.Multiply(n, a.start, last), within)
	}
	return arithmetic.Plus(n, centre, -0.5)
}

// nearestIndices returns the old element that is nearest to each position.
func (r *request) nearestIndices(n *convert.Node, x convert.Value, a *axis) convert.Value {
	switch r.nearest {
	case "floor":
		x = floor(n, x)
	case "ceil":
		x = n.Layer("Ceiling", 1, nil, x)
	case "simple":
		shrinks := n.Layer("Less", 1, nil, a.scale, n.Like(x, 1))
		x = arithmetic.Select(n, shrinks, n.Layer("Ceiling", 1, nil, x), floor(n, x))
	case "round_prefer_ceil":
		x = floor(n, arithmetic.Plus(n, x, 0.5))
	default:
		x = n.Layer("Ceiling", 1, nil, arithmetic.Plus(n, x, -0.5))
	}
	x = arithmetic.Clamp(n, x, n.Like(x, 0), arithmetic.Plus(n, a.length, -1))
	return n.Convert(x, ir.I64)
}

// outside reports which positions are not between the first and the last element, as a tensor of
// some rank that differs only along the axis.
func (r *request) outside(n *convert.Node, x convert.Value, a *axis, rank int) convert.Value {
	before := n.Layer("Less", 1, nil, x, n.Like(x, 0))
	behind := n.Layer("Greater", 1, nil, x, arithmetic.Plus(n, a.length, -1))
	shape := make([]int64, rank)
	for i := range shape {
		shape[i] = 1
	}
	shape[a.number] = -1
	return n.Reshape(union(n, before, behind), n.IntValues(shape...), false)
}

// union returns whether a or b holds; a can be absent.
func union(n *convert.Node, a, b convert.Value) convert.Value {
	if a.Absent() {
		return b
	}
	return n.Layer("LogicalOr", 1, nil, a, b)
}
