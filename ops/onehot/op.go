// Package onehot sets one element of each row to on_value, and the others to
// off_value.
//
//	output[..., i, ...] = on_value if indices[...] == i, off_value otherwise
//
// where i counts along axis, a new axis of length depth. Versions: OneHot-1, and
// OneHot-16, whose attribute negative_indices_mode says whether a negative index
// counts from the back of the axis (normalize) or, as in OneHot-1 and like an index
// beyond the axis, leaves off_value in all of its row (ignore_negative). Inputs:
// indices of a type of integers; depth of a type of integers, a scalar, not below 0;
// on_value and off_value of type T, scalars. Output: T, of the shape of indices with
// axis inserted, where a negative axis counts from the back of the output. T: every
// element type. Attributes: axis, without a default, and negative_indices_mode, by
// default ignore_negative. Errors: an axis that the output does not have.
//
// Specification: OpenVINO operation set, sequence processing, OneHot-1, OneHot-16.
package onehot

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{oneHot(1), oneHot(16)}

func oneHot(version int) ops.Op {
	return ops.Op{
		Type: "OneHot", Version: version,
		Inputs:     ops.Exactly(4),
		Attributes: func(a *ir.Attributes) (any, error) { return parse(a, version) },
		Values:     []int{1},
		Infer:      infer,
		Bounds:     bounds,
	}
}

type attributes struct {
	axis      int64 // negative counts from the back of the output
	normalize bool  // a negative index counts from the back of the axis
}

func parse(a *ir.Attributes, version int) (any, error) {
	a.Expect("axis")
	at := attributes{axis: a.Int("axis", 0)}
	if version >= 16 {
		at.normalize = a.Enum("negative_indices_mode", "ignore_negative", "ignore_negative", "normalize") == "normalize"
	}
	return at, a.Err()
}
