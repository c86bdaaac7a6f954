// Package bucketize finds the bucket of each element.
//
//	output[i] = the number of boundaries below data[i]          if with_right_bound is true
//	output[i] = the number of boundaries not above data[i]      otherwise
//
// Versions: Bucketize-3.
//
// Inputs: data of a numeric type, and buckets, a sorted vector of boundaries of a numeric type.
//
// The kernel computes f32, f64, f16, bf16, i8 to i64 and u8 to u64, in any combination, and
// compares the numbers exactly: OpenVINO's CPU plugin converts i64 to i32, and data to the type of
// buckets. The bucket of NaN is 0 if with_right_bound is true, and the number of boundaries
// otherwise. A boundary that is NaN is above all numbers. If buckets is not sorted, the buckets are
// some numbers from 0 to that of boundaries.
//
// Output: the type output_type and the shape of data.
//
// Attributes: output_type is i32 or i64. Like OpenVINO, this package has no default for it,
// although the specification has i64. with_right_bound, true by default, means that a boundary
// belongs to the bucket before it.
//
// Specification: OpenVINO operation set, condition, Bucketize-3.
package bucketize

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "Bucketize", Version: 3,
	Inputs:     ops.Exactly(2),
	Types:      types,
	PortTypes:  []ops.PortTypes{{Port: 1, Types: types}},
	Attributes: parse,
	Infer:      infer,
	Prepare:    widened.Prepare(slices.Concat(widened.Halves, widened.Wrapping), prepare, 0),
}}

var types = []ir.ElementType{
	ir.F32, ir.F64, ir.F16, ir.BF16, ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64,
}

type attributes struct {
	outputType ir.ElementType
	rightBound bool
}

func parse(a *ir.Attributes) (any, error) {
	return attributes{
		// The specification has the default i64, OpenVINO has none.
		outputType: check.IndexAttribute(a, "output_type", ir.Dynamic),
		rightBound: a.Bool("with_right_bound", true),
	}, a.Err()
}
