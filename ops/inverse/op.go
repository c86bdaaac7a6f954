// Package inverse computes Inverse: the inverses of the square matrices in the last two axes.
//
//	output = inverse of data                     if adjoint is false
//	output = inverse of the transpose of data    if adjoint is true
//
// The matrices are divided into triangular ones by LU decomposition with partial pivoting: the
// pivot is the first element of greatest magnitude. A singular matrix gives infinities or NaN, or
// large numbers if rounding hides that it is singular. f16 and bf16 are computed in float32 and
// rounded once.
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
	"github.com/vinoir/vinoir/ops/internal/floats"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "Inverse", Version: 14,
	Inputs:     ops.Exactly(1),
	Attributes: parse,
	Infer:      infer,
	Types:      floats.Types,
	Prepare:    prepare,
}}

type attributes struct {
	adjoint bool
}

func parse(a *ir.Attributes) (any, error) {
	return attributes{a.Bool("adjoint", false)}, a.Err()
}
