// Package convert changes the element type of a tensor.
//
//	output[i] = data[i] as an element of the destination type
//
// Versions: Convert-1, whose attribute destination_type names the type, and
// ConvertLike-1, which takes it from the input like. Inputs: data of any shape and
// any element type but string; like, of which only the type counts.
//
//   - To a floating-point type: the nearest value, ties to even. Beyond its range
//     are the infinities of f16, bf16 and f8e5m2, the NaN of f8e4m3, and the
//     largest values of f4e2m1, nf4 and f8e8m0. Integers and f64 go to types of
//     less than 32 bits by way of f32; to bf16, types other than f32 and f16 are
//     rounded up from half only where the last bit kept is 1.
//   - From an integer to an integer: the low bits, as in two's complement.
//   - From a floating-point type to an integer: the fraction is cut off and the
//     low bits are taken. NaN, and what is beyond i64 for i64, u32 and u64 and
//     beyond i32 for the narrower types, is the lowest number of that type, as x86
//     processors have it; but u64 holds all of its range.
//   - To boolean: whether the value is not zero, as NaN is not. From boolean: 0 or 1.
//
// Specification: OpenVINO operation set, type, Convert-1 and ConvertLike-1. Both
// leave out of range conversions open; the rules above are those of OpenVINO's
// reference.
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
		Prepare:    prepare,
		Traits:     ops.Traits{Deferrable: true},
	},
	{
		Type: "ConvertLike", Version: 1,
		Inputs:  ops.Exactly(2),
		Infer:   inferLike,
		Bounds:  bounds,
		Prepare: prepare,
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
