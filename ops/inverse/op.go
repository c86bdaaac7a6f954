// Package inverse infers Inverse, which computes the inverses of square matrices in the last two
// axes.
//
//	output = inverse of data                             if adjoint is false
//	output = adjugate of data = inverse * determinant    if adjoint is true
//
// Versions: Inverse-14.
//
// Input: data of a floating-point type and rank 2 or more, whose last two axes have the same
// length.
//
// Output: the type and shape of data.
//
// Attributes: adjoint, false by default.
//
// Specification: OpenVINO operation set, matrix, Inverse-14.
package inverse

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "Inverse", Version: 14,
	Inputs:     ops.Exactly(1),
	Attributes: parse,
	Infer:      infer,
}}

type attributes struct {
	adjoint bool
}

func parse(a *ir.Attributes) (any, error) {
	return attributes{a.Bool("adjoint", false)}, a.Err()
}
