// Package bucketize infers Bucketize, which finds the bucket of each element.
//
//	output[i] = the number of boundaries below data[i]          if with_right_bound is true
//	output[i] = the number of boundaries not above data[i]      otherwise
//
// Versions: Bucketize-3.
//
// Inputs: data of a numeric type, and buckets, a sorted vector of boundaries of a numeric type.
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
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "Bucketize", Version: 3,
	Inputs:     ops.Exactly(2),
	Attributes: parse,
	Infer:      infer,
}}

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
