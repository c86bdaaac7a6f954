// Package convert changes the element type of a tensor.
//
//	output[i] = data[i] as an element of the destination type
//
// Versions: Convert-1, with the destination type in the attribute destination_type, and
// ConvertLike-1, with the destination type of the input like. Inputs: data, of any shape and
// element type, and like, whose shape and values are ignored. Strings and complex numbers are only
// converted to their own type.
//
// Convert-ir10 is what the reader adds before the Results of a model of IR version 10. It has no
// attributes: i32, u32, i64 and u64 become i32, and all other types become f32.
//
//   - To a floating-point type: the nearest value, ties to even. Values out of range become
//     infinite in f16, bf16 and f8e5m2, NaN in f8e4m3, and the largest value in f4e2m1, nf4 and
//     f8e8m0. Integers and f64 are converted to types of less than 32 bits by way of f32. Types
//     other than f32 and f16 are rounded differently to bf16: up if the remainder is at least half
//     and the last kept bit is 1, and down otherwise.
//   - From an integer to an integer: the low bits, in two's complement.
//   - From a floating-point type to an integer: the value is truncated to an i64 for i64, u32 and
//     u64, and to an i32 for the narrower types. Then the low bits are taken. NaN and values out of
//     range become the lowest i64 or i32, as on x86 processors. To u64, values from 2^63 to 2^64-1
//     are exact and larger values become 0.
//   - To boolean: whether the value is not zero; NaN is true. From boolean: 0 or 1.
//
// Specification: OpenVINO operation set, type, Convert-1 and ConvertLike-1. Both leave conversions
// of values out of range open; the rules above are those of OpenVINO's reference.
package convert

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "Convert", Version: 1,
		Inputs:     ops.Exactly(1),
		Attributes: parse,
		Infer:      infer,
		Bounds:     bounds,
		Fusion:     ops.Fusion{Stage: stage},
		Prepare:    Prepare,
		Traits:     ops.Traits{Deferrable: true},
	},
	{
		Type: "ConvertLike", Version: 1,
		Inputs:  ops.Exactly(2),
		Infer:   inferLike,
		Bounds:  bounds,
		Prepare: Prepare,
	},
	{
		Type: "Convert", Namespace: "ir10",
		Inputs:  ops.Exactly(1),
		Infer:   inferOutputV10,
		Bounds:  bounds,
		Fusion:  ops.Fusion{Stage: stage},
		Prepare: Prepare,
	},
}

type attributes struct {
	destination ir.ElementType
}

func parse(a *ir.Attributes) (any, error) {
	t := a.ElementType("destination_type", ir.Dynamic)
	if t == ir.Dynamic {
		a.Fail("destination_type", "there is no type to convert to")
	}
	return attributes{t}, a.Err()
}
