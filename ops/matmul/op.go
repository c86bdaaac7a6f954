// Package matmul multiplies matrices.
//
//	output[..., i, j] = sum over p of a[..., i, p]*b[..., p, j]
//
// The axes before the last two are batches, which broadcast by numpy's rule. transpose_a and
// transpose_b swap the last two axes of an input before the multiplication; they do not affect
// vectors. A vector a is a matrix with one row, a vector b a matrix with one column. The axis of
// length 1 is left out of the output.
//
// Versions: MatMul-1. Inputs: a and b, of one type T and rank 1 or more. Output: T.
//
// T: f32, f64, f16, bf16, and integers of whole bytes, which wrap on overflow. f16 and bf16 are
// computed in f32 and rounded once, integers of 8 and 16 bits in integers of 32. With vector
// instructions, the products are not added in the order of p. The result is the same for every
// number of threads.
//
// QuantizedMatMul-vinoir, which only passes insert, multiplies numbers of levels, as
// Quantize-vinoir returns them, by weights of 8 bits:
//
//	output[..., j] = scale[j] * (sum over p of a[..., p]*b[p, j]) + offset[j]
//
// The sums are exact. Inputs: a, u8 of rank 1 or more; b, constant i8 of rank 2, which transpose_b
// transposes; scale and offset, constant f32 [columns of b]. Output: f32. The length of the rows of
// a is a multiple of 4, up to 65792.
//
// QuantizedProduct-vinoir, which only passes insert, multiplies numbers of levels by each other:
//
//	output[..., i, j] = scale * (sum over p of (a[..., i, p] - zero_a)*(b[..., p, j] - zero_b))
//
// Its first two inputs, a and b, are those of MatMul, of u8, with its attributes. scale, zero_a and
// zero_b are constants of f32 with one element; the last two, which need not be whole numbers, are
// from -1024 to 1024. Output: f32. The sums of products are exact, except for small matrices and a
// depth of more than 33025, which are multiplied in f32.
//
// HalfMatMul-vinoir, which only passes insert, is MatMul of a, f32, and b, a constant matrix of f16
// or bf16 with two columns or more, which stays in that type in memory. Output: f32.
//
// CompressedMatMul-vinoir is what the compiler inserts for weights in few bits:
//
//	output[..., i, j] = sum over g, p of a[..., i, g*P + p]*(codes[j, g, p] - zero[j, g, 0])*scale[j, g, 0]
//
// Inputs: a, f32 of two axes or more; codes, u2, u3, u4, i4, u8, i8, nf4, f4e2m1, f8e5m2 or,
// without NaN, f8e4m3; scale, f32; and optionally zero, u2, u3, u4, i4, u8 or i8, if codes are
// integers. P is the length of a group. codes is [columns, groups, P] or [columns, P] if the
// attribute transpose_b is true; otherwise [groups, P, columns] or [P, columns]. With an axis of
// groups, P is at most 4096. scale and zero broadcast to codes, and have length 1 along P. Output:
// f32.
//
// A fifth input, table, f32[16], has the numbers that codes of u4 stand for: table[codes[j, g, p]]
// instead of codes[j, g, p]. If the attribute batched is true, codes has an axis of up to 4096
// matrices before the others, and a is [matrices, rows, g*P] or [1, rows, g*P]. With the attribute
// exact, a is not rounded to integers.
// All inputs but a are read when the layer is prepared.
//
// Specification: OpenVINO operation set, matrix, MatMul-1.
package matmul

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/passes/quantization"
	"github.com/vinoir/vinoir/ops/internal/passes/weights"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "MatMul", Version: 1,
		Inputs: ops.Exactly(2),
		Types: []ir.ElementType{
			ir.F32, ir.F64, ir.F16, ir.BF16,
			ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64,
		},
		Attributes: parse,
		Infer:      infer,
		Fusion:     ops.Fusion{Applies: true},
		Traits:     ops.Traits{Linear: &ops.Linear{Weights: 1, In: 0, Out: 1, Matrix: true, Integers: "QuantizedMatMul"}},
		Prepare:    widened.Prepare([]widened.Conversion{widened.I8, widened.U8, widened.I16, widened.U16}, prepare, 0, 1),
		Passes:     []ops.Pass{{Name: "MultiplyInF32", Run: quantization.MultiplyInF32}},
	},
	{
		Type: "QuantizedMatMul", Namespace: "vinoir",
		Inputs:     ops.Exactly(4),
		Types:      []ir.ElementType{ir.U8},
		Attributes: parseQuantized,
		Infer:      inferQuantized,
		Fusion:     ops.Fusion{Applies: true},
		Prepare:    prepareQuantized,
	},
	{
		Type: "CompressedMatMul", Namespace: "vinoir",
		Inputs:     ops.Between(3, 5),
		Types:      []ir.ElementType{ir.F32},
		Attributes: parseCompressed,
		Values:     []int{codesPort, scalePort, zeroPort, tablePort},
		Infer:      inferCompressed,
		Fusion:     ops.Fusion{Applies: true},
		Prepare:    prepareCompressed,
		Passes:     []ops.Pass{{Name: "KeepCompressed", Run: weights.KeepCompressed}},
	},
	{
		Type: "QuantizedProduct", Namespace: "vinoir",
		Inputs:     ops.Exactly(5),
		Types:      []ir.ElementType{ir.U8},
		Attributes: parse,
		Values:     []int{2, 3, 4},
		Infer:      inferProduct,
		Fusion:     ops.Fusion{Applies: true},
		Prepare:    prepareProduct,
	},
	{
		Type: "HalfMatMul", Namespace: "vinoir",
		Inputs:     ops.Exactly(2),
		Types:      []ir.ElementType{ir.F32},
		Attributes: parse,
		Infer:      inferHalf,
		Fusion:     ops.Fusion{Applies: true},
		Prepare:    prepareHalf,
	},
}

type attributes struct {
	transposeA, transposeB bool
}

func parse(a *ir.Attributes) (any, error) {
	return attributes{a.Bool("transpose_a", false), a.Bool("transpose_b", false)}, a.Err()
}
