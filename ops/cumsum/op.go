// Package cumsum adds up the elements along an axis.
//
//	output[..., i, ...] = data[..., 0, ...] + ... + data[..., i, ...]
//
// The attribute exclusive leaves out element i itself, reverse sums from i to the end
// of the axis; both are false where they are missing. Versions: CumSum-3. Inputs: data
// of type T and axis, of type i32 or i64, a scalar, negative counting from the back.
// Output: the type and shape of data. T: numbers. Like OpenVINO's, the shape rule asks
// nothing of the value of axis.
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
