// Package onehot sets one element of each row to on_value, and the others to off_value.
//
//	output[..., i, ...] = on_value if indices[...] == i, off_value otherwise
//
// i counts along axis, a new axis of length depth.
//
// Versions: OneHot-1; OneHot-16, with the attribute negative_indices_mode.
//
// Inputs: indices of an integer type; depth, a scalar of an integer type, not negative; on_value
// and off_value, scalars of any element type T.
//
// Output: type T and the shape of indices with axis inserted.
//
// Attributes:
//   - axis, without a default. A negative axis counts from the back of the output.
//   - negative_indices_mode: ignore_negative, the default, leaves off_value in all of the row of a
//     negative index, as OneHot-1 does. normalize counts a negative index from the back of axis.
//
// The row of an index beyond axis is off_value, as is the row of an index below -depth in mode
// normalize.
//
// The kernel computes indices of i8 to i64, u8 to u64 and boolean, and each T whose elements are 1,
// 2, 4 or 8 bytes, or strings.
//
// Errors: an axis that the output does not have.
//
// Specification: OpenVINO operation set, sequence processing, OneHot-1, OneHot-16.
package onehot

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{oneHot(1), oneHot(16)}

func oneHot(version int) ops.Op {
	return ops.Op{
		Type: "OneHot", Version: version,
		Inputs:     ops.Exactly(4),
		Types:      types,
		PortTypes:  []ops.PortTypes{{Output: true, Types: valueTypes}},
		Attributes: func(a *ir.Attributes) (any, error) { return parse(a, version) },
		Values:     []int{1},
		Infer:      infer,
		Bounds:     inferBounds,
		Prepare:    prepare,
	}
}

var types = []ir.ElementType{ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64, ir.Boolean}

// valueTypes are the types of on_value: those of whole bytes.
var valueTypes = []ir.ElementType{
	ir.F32, ir.F64, ir.F16, ir.BF16, ir.F8E4M3, ir.F8E5M2, ir.F8E8M0, ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64, ir.Boolean, ir.String,
}

type attributes struct {
	axis      int64 // negative counts from the back of the output
	normalize bool  // a negative index counts from the back of the axis
}

func parse(a *ir.Attributes, version int) (any, error) {
	a.Expect("axis")
	at := attributes{axis: a.Int("axis", 0)}
	if version >= 16 {
		at.normalize = a.Enum("negative_indices_mode", "ignore_negative", "ignore_negative", "normalize") == "normalize"
	}
	return at, a.Err()
}
