// Package inverse computes the inverses of square matrices.
//
//	output = inverse of data or, where adjoint is true, its adjugate: the inverse
//	times the determinant
//
// of the matrices in the last two axes; adjoint is false where it is missing. Versions:
// Inverse-14. Input: data of type T and at least two axes, the last two equally long.
// Output: T and the shape of data. T: a floating-point type.
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
