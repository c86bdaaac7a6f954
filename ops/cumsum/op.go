// Package cumsum adds up the elements along an axis.
//
//	output[..., i, ...] = data[..., 0, ...] + ... + data[..., i, ...]
//
// Versions: CumSum-3.
//
// Inputs: data of a numeric type, and axis, a scalar of type i32 or i64. A negative axis counts
// from the back. A scalar has one axis of one element. Like OpenVINO's, the shape rule does not
// check the value of axis; the kernel does.
//
// Output: the type and shape of data. The elements are added one after the other from the start of
// the axis, or from its end if reverse is true. Sums of integers wrap; those of f16 and bf16 are
// computed in float32, and each is rounded once.
//
// Attributes, both false by default: exclusive leaves element i out of the sum, reverse sums from i
// to the end of the axis.
//
// Specification: OpenVINO operation set, arithmetic, CumSum-3.
package cumsum

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "CumSum", Version: 3,
	Inputs:     ops.Exactly(2),
	Values:     []int{1},
	Types:      []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16, ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64},
	Attributes: parse,
	Infer:      infer,
	Prepare:    widened.Prepare(slices.Concat(widened.Halves, widened.Small), prepare, 0),
}}

type attributes struct {
	exclusive, reverse bool
}

func parse(a *ir.Attributes) (any, error) {
	return attributes{exclusive: a.Bool("exclusive", false), reverse: a.Bool("reverse", false)}, a.Err()
}
