// Package stridedslice cuts pieces out of tensors, adds axes to them and drops
// axes.
//
//	output[..., i, ...] = data[..., begin[k] + i*strides[k], ...]
//
// up to and without end[k], where each k stands for an axis of data from the first
// on, or, by the bit k of a mask:
//
//   - begin_mask, end_mask: the piece starts or ends at the end of the axis,
//     whatever begin[k] and end[k] are;
//   - new_axis_mask: k adds an axis of length 1 to the output;
//   - shrink_axis_mask: begin[k], or 0 by begin_mask, is the one position that is
//     taken, and the output is without the axis;
//   - ellipsis_mask: k stands for as many whole axes as the others leave; one bit
//     at most is set.
//
// Where more than one bit is set for k, ellipsis_mask comes before new_axis_mask,
// and that before shrink_axis_mask. Negative begins and ends count from the back;
// those outside of data mean its ends, but for shrink_axis_mask, where they are
// errors. Axes that no k stands for are taken whole. Versions: StridedSlice-1.
// Inputs: data, of any element type; begin, end and, optionally, strides: vectors of
// one length of integers; strides are 1 where they are not given and never 0. The
// masks are lists of 0 and 1 of one length, each of which may be empty; bits beyond
// the list are 0.
//
// Specification: OpenVINO operation set, movement, StridedSlice-1.
package stridedslice

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "StridedSlice", Version: 1,
	Inputs:     ops.Between(3, 4),
	Attributes: parse,
	Values:     []int{1, 2, 3},
	Infer:      infer,
	Bounds:     bounds,
	Prepare:    prepare,
}}

// names are those of the inputs.
var names = [...]string{"data", "begin", "end", "strides"}

// mask is the set of the numbers that a mask holds a 1 for.
type mask []bool

func (m mask) has(k int) bool { return k < len(m) && m[k] }

func (m mask) count() int {
	n := 0
	for _, set := range m {
		if set {
			n++
		}
	}
	return n
}

type attributes struct {
	begin, end, newAxis, shrinkAxis, ellipsis mask
}

func parse(a *ir.Attributes) (any, error) {
	var at attributes
	a.Expect("begin_mask")
	a.Expect("end_mask")
	length := 0
	for i, m := range []struct {
		name string
		mask *mask
	}{
		{"begin_mask", &at.begin}, {"end_mask", &at.end}, {"new_axis_mask", &at.newAxis},
		{"shrink_axis_mask", &at.shrinkAxis}, {"ellipsis_mask", &at.ellipsis},
	} {
		bits := a.Ints(m.name)
		if i == 0 {
			length = len(bits)
		}
		if len(bits) > 0 && len(bits) != length {
			a.Fail(m.name, "it has %d elements, begin_mask has %d", len(bits), length)
		}
		*m.mask = make(mask, len(bits))
		for k, bit := range bits {
			if bit != 0 && bit != 1 {
				a.Fail(m.name, "element %d is %d, neither 0 nor 1", k, bit)
			}
			(*m.mask)[k] = bit == 1
		}
	}
	if at.ellipsis.count() > 1 {
		a.Fail("ellipsis_mask", "%d elements are 1, one at most may be", at.ellipsis.count())
	}
	return at, a.Err()
}
