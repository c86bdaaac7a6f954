// Package cumsum infers CumSum, which adds up the elements along an axis.
//
//	output[..., i, ...] = data[..., 0, ...] + ... + data[..., i, ...]
//
// Versions: CumSum-3.
//
// Inputs: data of a numeric type, and axis, a scalar of type i32 or i64. A negative axis counts
// from the back. Like OpenVINO's, the shape rule does not check the value of axis.
//
// Output: the type and shape of data.
//
// Attributes, both false by default: exclusive leaves element i out of the sum, reverse sums from i
// to the end of the axis.
//
// Specification: OpenVINO operation set, arithmetic, CumSum-3.
package cumsum

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "CumSum", Version: 3,
	Inputs:     ops.Exactly(2),
	Attributes: parse,
	Infer:      infer,
}}

type attributes struct {
	exclusive, reverse bool
}

func parse(a *ir.Attributes) (any, error) {
	return attributes{exclusive: a.Bool("exclusive", false), reverse: a.Bool("reverse", false)}, a.Err()
}
