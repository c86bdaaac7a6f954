// Package stridedslice copies pieces of tensors, adds axes to them and removes axes.
//
//	output[..., i, ...] = data[..., begin[k] + i*strides[k], ...]
//
// up to but not including end[k]. Element k of begin, end and strides applies to the next axis of
// data, unless bit k of a mask is set:
//
//   - begin_mask, end_mask: begin[k] or end[k] is ignored, and the piece starts or ends where the
//     axis does.
//   - new_axis_mask: k adds an axis of length 1 to the output.
//   - shrink_axis_mask: the output has only position begin[k], or 0 with begin_mask, and not the
//     axis.
//   - ellipsis_mask: k represents as many whole axes as the other elements leave. At most one bit
//     is set.
//
// If several bits are set for k, ellipsis_mask takes precedence over new_axis_mask, and
// new_axis_mask over shrink_axis_mask. Negative begins and ends count from the back. Begins and
// ends outside of data mean its ends; with shrink_axis_mask, they are errors. Axes without a k are
// copied whole.
//
// Versions: StridedSlice-1. Inputs: data, of any element type; begin, end and, optionally, strides:
// vectors of integers of one length. Strides are 1 if the input is missing, and never 0. The masks
// are lists of 0 and 1 of one length; each of them may be empty. Bits beyond the end of a list are
// 0.
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
	Traits:     ops.Traits{Moves: true},
}}

// names are the names of the inputs.
var names = [...]string{"data", "begin", "end", "strides"}

// mask[k] reports whether bit k of a mask is set.
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
