// Package groupedmatmul multiplies groups of rows by a matrix each, as a mixture of
// experts does.
//
//	output[g] = mat_a[g] * transpose(mat_b[g])              mat_a [G,M,K]
//	output[r] = mat_a[r] * transpose(mat_b[g])              mat_a [R,K]
//	            for the rows r from offsets[g-1], or 0, to offsets[g]-1
//
// Versions: GroupedMatMul-17. Inputs: mat_a of type T; mat_b [G,N,K] of T; where
// mat_a has two axes also offsets, a vector of i32 or i64. Output: T, [G,M,N] or
// [R,N]. Errors: a K or G that differs between mat_a and mat_b, two axes of mat_a
// without offsets.
//
// Specification: OpenVINO operation set, matrix, GroupedMatMul-17.
package groupedmatmul

import "github.com/vinoir/vinoir/ops"

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "GroupedMatMul", Version: 17,
	Inputs: ops.Between(2, 3),
	Infer:  infer,
}}
