// Package groupedmatmul computes GroupedMatMul, which multiplies each group of rows by a matrix of
// its own, as a mixture of experts does.
//
//	output[g] = mat_a[g] * transpose(mat_b[g])              mat_a [G,M,K]
//	output[r] = mat_a[r] * transpose(mat_b[g])              mat_a [R,K]
//	            for the rows r from offsets[g-1], or 0, to offsets[g]-1
//
// Rows after those of the last group are 0. OpenVINO's CPU plugin has no kernel for this layer
// type.
//
// Versions: GroupedMatMul-17. The kernel computes f32, f64, f16 and bf16, the 16-bit types in
// float32.
//
// Inputs: mat_a [G,M,K] or [R,K] of type T; mat_b [G,N,K] of type T; offsets, a vector of i32 or
// i64, required if mat_a has two axes.
//
// Output: [G,M,N] or [R,N] of type T.
//
// Errors: a K or G that differs between mat_a and mat_b, a mat_a of two axes without offsets, a
// number of offsets that is not G, and offsets that decrease or exceed R.
//
// Specification: OpenVINO operation set, matrix, GroupedMatMul-17.
package groupedmatmul

import (
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/floats"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "GroupedMatMul", Version: 17,
	Inputs:  ops.Between(2, 3),
	Types:   floats.Types,
	Infer:   infer,
	Prepare: prepare,
}}
