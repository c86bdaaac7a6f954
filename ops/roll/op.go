// Package roll moves the elements along some axes, those that leave an axis at one
// end to the other.
//
//	output[i, j, k] = data[i, (j - shift) mod d, k]
//
// for an axis 1 of length d. Versions: Roll-7. Inputs: data of any element type;
// shift, of type i32 or i64, a scalar or a vector; axes, of type i32 or i64, a scalar
// or a vector of the length of shift, any length where shift is a scalar, negative
// ones counting from the back. The shifts of an axis that stands there more than once
// add up. Output: the type and shape of data.
//
// Specification: OpenVINO operation set, movement, Roll-7.
package roll

import "github.com/vinoir/vinoir/ops"

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "Roll", Version: 7,
	Inputs: ops.Exactly(3),
	Values: []int{1, 2},
	Infer:  infer,
}}
