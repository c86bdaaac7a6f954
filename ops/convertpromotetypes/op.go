// Package convertpromotetypes converts two tensors to the type that holds both.
//
//	output_0[i] = T(input_0[i]); output_1[i] = T(input_1[i])
//
// Versions: ConvertPromoteTypes-14. Inputs: two tensors of any shape and of numbers
// or booleans. Outputs: the same shapes, of type T, which is
//
//   - the type of both, or that of the other where one is boolean;
//   - of an integer and a floating-point type the latter, if it has at least twice
//     as many bits, or promote_unsafe is true;
//   - with pytorch_scalar_promotion, where one input is a scalar, the type of the
//     other, if it holds all values, or promote_unsafe is true; where a rank is not
//     known, the type is not either;
//   - of a signed and an unsigned type the signed type of at least twice the bits of
//     the unsigned, if it has the bits of the signed, or promote_unsafe is true; with
//     u64 and promote_unsafe, u64_integer_promotion_target;
//   - else the type of more bits; of two of the same number of bits, if
//     promote_unsafe is true, f16 of the 8-bit floats, f32 of f16 and bf16.
//
// Other pairs are errors. Attributes: promote_unsafe and pytorch_scalar_promotion,
// false, and u64_integer_promotion_target, f32, where they are missing.
//
// Specification: OpenVINO operation set, type, ConvertPromoteTypes-14.
package convertpromotetypes

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "ConvertPromoteTypes", Version: 14,
	Inputs:     ops.Exactly(2),
	Attributes: parse,
	Infer:      infer,
}}

type attributes struct {
	unsafe, scalars bool
	u64             ir.ElementType // what u64 becomes with a signed integer
}

func parse(a *ir.Attributes) (any, error) {
	return attributes{
		unsafe:  a.Bool("promote_unsafe", false),
		scalars: a.Bool("pytorch_scalar_promotion", false),
		u64:     a.ElementType("u64_integer_promotion_target", ir.F32),
	}, a.Err()
}
