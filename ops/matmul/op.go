// Package matmul multiplies matrices.
//
//	output[..., i, j] = sum over p of a[..., i, p]*b[..., p, j]
//
// The axes before the last two are batches, which broadcast by numpy's rule. With
// transpose_a or transpose_b the last two axes of that input change places first.
// A vector a is one row, a vector b one column, whose axis is left out of the
// output; for a vector the transposition means nothing.
//
// Versions: MatMul-1. Inputs: a and b of one type T, of rank 1 or more. Output: T.
//
// T: f32, f64, f16 and bf16, which are computed in f32 and rounded once; integers
// of whole bytes, which wrap. The order in which products are added is not that of
// p where the machine has vector instructions, but the same on every number of
// threads.
//
// Specification: OpenVINO operation set, matrix, MatMul-1.
package matmul

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "MatMul", Version: 1,
	Inputs: ops.Exactly(2),
	Types: []ir.ElementType{
		ir.F32, ir.F64, ir.F16, ir.BF16,
		ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64,
	},
	Attributes: parse,
	Infer:      infer,
	Fusion:     ops.Fusion{Applies: true},
	Prepare:    prepare,
}}

type attributes struct {
	transposeA, transposeB bool
}

func parse(a *ir.Attributes) (any, error) {
	return attributes{a.Bool("transpose_a", false), a.Bool("transpose_b", false)}, a.Err()
}
