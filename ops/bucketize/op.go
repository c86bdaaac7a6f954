// Package bucketize finds the bucket of each element.
//
//	output[i] = the number of boundaries below data[i]                 with_right_bound
//	output[i] = the number of boundaries not above data[i]             otherwise
//
// Versions: Bucketize-3. Attributes: output_type, i32 or i64, which OpenVINO, unlike
// the specification, has no default for, and with_right_bound, true where it is
// missing: whether a boundary belongs to the bucket before it. Inputs: data, of
// numbers, and buckets, a sorted vector of numbers, the boundaries. Output:
// output_type, the shape of data.
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
		// The default of the specification, i64, is not OpenVINO's, which has none.
		outputType: check.IndexAttribute(a, "output_type", ir.Dynamic),
		rightBound: a.Bool("with_right_bound", true),
	}, a.Err()
}
