// Package convertpromotetypes computes ConvertPromoteTypes, which converts two tensors to one type
// T that suits both.
//
//	output_0[i] = T(input_0[i]); output_1[i] = T(input_1[i])
//
// Versions: ConvertPromoteTypes-14.
//
// Inputs: two tensors of any shape, of a numeric type or boolean.
//
// Outputs: the shapes of the inputs, with type T. The first of these rules that applies gives T:
//
//   - If the types are equal, T is that type. If one type is boolean, T is the other.
//   - If one is an integer type and one a floating-point type, T is the floating-point type. It
//     must have at least twice as many bits as the integer type.
//   - If pytorch_scalar_promotion is true and exactly one input is a scalar, T is the type of the
//     other input. It must hold the type of the scalar: if both are signed or both unsigned, it has
//     at least as many bits; if only T is signed, at least half as many. If a rank is unknown, T is
//     unknown.
//   - If one is signed and one unsigned, T is the signed type that has at least the bits of the
//     signed type and twice the bits of the unsigned type. It must be the type of the signed input.
//     If no type has so many bits, T is u64_integer_promotion_target.
//   - If the types differ in bits, T is the one with more bits.
//   - Otherwise T is f16 for 8-bit floats, and f32 for f16 and bf16; promote_unsafe must be true.
//
// If promote_unsafe is true, the conditions with "must" do not apply.
//
// Values are converted as by Convert, see package convert. OpenVINO takes i8 to hold a scalar of
// u16, and so does this layer: a value beyond T keeps its low bits.
//
// Attributes: promote_unsafe and pytorch_scalar_promotion, false by default;
// u64_integer_promotion_target, f32 by default.
//
// Errors: two types that no rule promotes.
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
	Memory:     ops.Memory{InPlace: []int{0}},
	Prepare:    prepare,
}}

type attributes struct {
	unsafe, scalars bool
	u64             ir.ElementType // the promoted type of u64 and a signed integer
}

func parse(a *ir.Attributes) (any, error) {
	return attributes{
		unsafe:  a.Bool("promote_unsafe", false),
		scalars: a.Bool("pytorch_scalar_promotion", false),
		u64:     a.ElementType("u64_integer_promotion_target", ir.F32),
	}, a.Err()
}
