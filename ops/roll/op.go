// Package roll moves the elements along some axes. Elements that leave an axis at one end enter it
// at the other. For an axis 1 of length d:
//
//	output[i, j, k] = data[i, (j - shift) mod d, k]
//
// Versions: Roll-7.
//
// Inputs:
//   - data: any element type.
//   - shift: a scalar or vector of i32 or i64.
//   - axes: a scalar or vector of i32 or i64, with the length of shift, or any length if shift is a
//     scalar. Negative axes count from the back. The shifts of an axis that occurs more than once
//     add up. A shift of any size is taken modulo the length of its axis.
//
// Output: the type and shape of data. Without axes, it is data; a scalar has one axis, which does
// not change. All element types are copied bit for bit.
//
// Specification: OpenVINO operation set, movement, Roll-7.
package roll

import "github.com/vinoir/vinoir/ops"

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "Roll", Version: 7,
	Inputs:  ops.Exactly(3),
	Values:  []int{1, 2},
	Infer:   infer,
	Prepare: prepare,
	Traits:  ops.Traits{Moves: true},
}}
