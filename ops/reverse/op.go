// Package reverse reverses the order of the elements along some axes. For a reversed axis 1 of
// length d:
//
//	output[i, j, k] = data[i, d-1-j, k]
//
// Versions: Reverse-1.
//
// Inputs: data of any element type, and reversed_axes, a vector of an integer type or of booleans.
//
// Output: the type and shape of data.
//
// Attributes: mode, without a default. With index, reversed_axes holds the numbers of the axes,
// each from 0 to the rank of data less one; like OpenVINO, the layer also accepts negative numbers,
// which count from the back. An axis may occur twice. With mask, it holds a boolean for each axis.
//
// Errors: an axis that data does not have, and a mask of another length than the rank of data.
//
// Specification: OpenVINO operation set, movement, Reverse-1.
package reverse

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "Reverse", Version: 1,
	Inputs:     ops.Exactly(2),
	Attributes: parse,
	Values:     []int{1},
	Infer:      infer,
	Prepare:    prepare,
	Bounds:     inferBounds,
}}

type attributes struct {
	mask bool
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("mode")
	return attributes{mask: a.Enum("mode", "index", "index", "mask") == "mask"}, a.Err()
}
