package sampling

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// sampler reads images at places between their elements.
type sampler struct {
	// data has images of any number of axes as [batch, channels, elements].
	data convert.Value
	axes []sampledAxis
	// first is the index of the first element of the image of each place, [batch, places]; absent
	// if it is 0.
	first convert.Value
	// nearest takes the nearest element, by a mode of the layer Round. Otherwise elements are
	// interpolated, linearly or by cubic functions.
	nearest bool
	round   string
	cubic   bool
	// largest takes the largest of the elements around a place times their weights, not the sum.
	largest bool
	// zeros makes elements outside of the image 0. Otherwise the last element inside counts.
	zeros bool
}

// sampledAxis is an axis of the images: its length, a scalar of i64, and places [batch, places].
type sampledAxis struct {
	length, position convert.Value
	// moved moves an index into the image, if it is not the last element that counts. It can be
	// nil.
	moved func(index convert.Value) convert.Value
}

// corner is one of the elements around places: its index along an axis, its weight, and whether it
// is in the image.
type corner struct {
	index, weight, inside convert.Value
}

// sample returns [batch, channels, places].
func (s *sampler) sample(n *convert.Node) convert.Value {
	if s.nearest {
		var corners []corner
		for _, a := range s.axes {
			corners = append(corners, a.corner(n, n.Layer("Round", 5, convert.Attributes("mode", s.round), a.position)))
		}
		value, inside := s.read(n, corners)
		if !s.zeros {
			return value
		}
		return arithmetic.Select(n, n.Unsqueeze(inside, 1), value, n.Like(value, 0))
	}
	around := make([][]corner, len(s.axes))
	for i, a := range s.axes {
		around[i] = a.around(n, s.cubic)
	}
	var sum convert.Value // or the largest one
	for number := make([]int, len(s.axes)); number != nil; number = next(number, len(around[0])) {
		if n.Failed() {
			return convert.Value{}
		}
		corners := make([]corner, len(s.axes))
		for i := range corners {
			corners[i] = around[i][number[i]]
		}
		value, inside := s.read(n, corners)
		weight := corners[0].weight
		for _, c := range corners[1:] {
			weight = arithmetic.Multiply(n, weight, c.weight)
		}
		if s.zeros {
			weight = arithmetic.Select(n, inside, weight, n.Like(weight, 0))
		}
		value = arithmetic.Multiply(n, value, n.Convert(n.Unsqueeze(weight, 1), n.Type(value)))
		switch {
		case sum.Absent():
			sum = value
		case s.largest:
			sum = arithmetic.Maximum(n, sum, value)
		default:
			sum = arithmetic.Add(n, sum, value)
		}
	}
	return sum
}

// next returns the next number whose digits are below base, the first one the lowest; nil after the
// last.
func next(digits []int, base int) []int {
	for i := range digits {
		if digits[i]++; digits[i] < base {
			return digits
		}
		digits[i] = 0
	}
	return nil
}

// around returns the elements around the places: two with linear weights, or four with those of
// cubic convolution with the coefficient -0.75.
func (a *sampledAxis) around(n *convert.Node, cubic bool) []corner {
	low := n.Layer("Floor", 1, nil, a.position)
	part := arithmetic.Subtract(n, a.position, low)
	rest := arithmetic.Subtract(n, n.Like(part, 1), part)
	first, weights := 0, []convert.Value{rest, part}
	if cubic {
		first, weights = -1, []convert.Value{outerWeight(n, part), innerWeight(n, part), innerWeight(n, rest), outerWeight(n, rest)}
	}
	var list []corner
	for i, weight := range weights {
		c := a.corner(n, arithmetic.Plus(n, low, float64(first+i)))
		c.weight = weight
		list = append(list, c)
	}
	return list
}

// innerWeight returns the weight of an element at a distance of at most 1: (1.25*d - 2.25)*d*d + 1.
func innerWeight(n *convert.Node, d convert.Value) convert.Value {
	v := arithmetic.Plus(n, arithmetic.Times(n, d, 1.25), -2.25)
	return arithmetic.Plus(n, arithmetic.Multiply(n, arithmetic.Multiply(n, v, d), d), 1)
}

// outerWeight returns that of an element at the distance d+1: ((-0.75*d + 1.5)*d - 0.75)*d.
func outerWeight(n *convert.Node, d convert.Value) convert.Value {
	v := arithmetic.Plus(n, arithmetic.Times(n, d, -0.75), 1.5)
	return arithmetic.Multiply(n, arithmetic.Plus(n, arithmetic.Multiply(n, v, d), -0.75), d)
}

// corner returns the element at an index, a whole number, moved into the image. NaN is element 0.
func (a *sampledAxis) corner(n *convert.Node, index convert.Value) corner {
	zero, last := n.Like(index, 0), arithmetic.Plus(n, n.Convert(a.length, n.Type(index)), -1)
	inside := n.Layer("LogicalAnd", 1, nil, n.Layer("GreaterEqual", 1, nil, index, zero), n.Layer("LessEqual", 1, nil, index, last))
	if a.moved != nil {
		index = a.moved(index)
	}
	clamped := arithmetic.Clamp(n, index, zero, last)
	number := n.Layer("Equal", 1, nil, clamped, clamped)
	return corner{index: n.Convert(arithmetic.Select(n, number, clamped, zero), ir.I64), inside: inside}
}

// read returns the elements at one corner for each axis, and whether they are in the image.
func (s *sampler) read(n *convert.Node, corners []corner) (value, inside convert.Value) {
	index, inside := corners[0].index, corners[0].inside
	for i, c := range corners[1:] {
		index = arithmetic.Add(n, arithmetic.Multiply(n, index, s.axes[i+1].length), c.index)
		inside = n.Layer("LogicalAnd", 1, nil, inside, c.inside)
	}
	if !s.first.Absent() {
		index = arithmetic.Add(n, index, s.first)
	}
	return n.Layer("Gather", 8, convert.Attributes("batch_dims", 1), s.data, index, n.IntValue(2)), inside
}
