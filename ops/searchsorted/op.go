// Package searchsorted finds where values would stand in sorted sequences.
//
//	output[..., i] = the number of elements of sorted[..., :] below values[..., i]
//
// or, with right_mode, not above it. Versions: SearchSorted-15. Attributes:
// right_mode, false where it is missing, and output_type, i32 or i64, i64 where it is
// missing. Inputs: sorted and values, of one type T, of equal rank and lengths but
// for the last axis; one sequence, a vector, is that of values of any shape. Output:
// output_type, the shape of values. T: every element type.
//
// Specification: OpenVINO operation set, sorting and maximization, SearchSorted-15.
package searchsorted

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "SearchSorted", Version: 15,
	Inputs:     ops.Exactly(2),
	Attributes: parse,
	Infer:      infer,
}}

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
