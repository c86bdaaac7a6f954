// Package searchsorted finds the positions of values in sorted sequences.
//
//	output[..., i] = the number of elements of sorted[..., :] below values[..., i]
//
// If right_mode is true, it is the number of elements that are not above values[..., i].
//
// Versions: SearchSorted-15.
//
// Inputs: sorted and values of one element type and one rank. Their lengths may differ only along
// the last axis. If sorted is a vector, it is the sequence for values of any shape.
//
// Output: the type output_type and the shape of values.
//
// The kernel computes f32, f64, f16, bf16, i8 to i64 and u8 to u64. The position of NaN is 0. In a
// sequence that is not sorted, the position is some number from 0 to its length.
//
// Attributes: right_mode, false by default; output_type, i32 or i64 (the default).
//
// Specification: OpenVINO operation set, sorting and maximization, SearchSorted-15.
package searchsorted

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "SearchSorted", Version: 15,
	Inputs:     ops.Exactly(2),
	Types:      types,
	Attributes: parse,
	Infer:      infer,
	Prepare:    widened.Prepare(slices.Concat(widened.Halves, widened.Wrapping), prepare, 0, 1),
}}

var types = []ir.ElementType{
	ir.F32, ir.F64, ir.F16, ir.BF16, ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64,
}

type attributes struct {
	right      bool
	outputType ir.ElementType
}

func parse(a *ir.Attributes) (any, error) {
	return attributes{
		right:      a.Bool("right_mode", false),
		outputType: check.IndexAttribute(a, "output_type", ir.I64),
	}, a.Err()
}
