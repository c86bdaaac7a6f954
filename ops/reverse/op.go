// Package reverse turns around the order of the elements along some axes.
//
//	output[i, j, k] = data[i, d-1-j, k]
//
// for a reversed axis 1 of length d. Versions: Reverse-1. Attributes: mode, which says
// what reversed_axes holds: index, the numbers of the axes, each from 0 to the rank of
// data less one, or mask, a boolean for each axis; it has no default. Inputs: data of
// any element type, and reversed_axes, a vector of integers or of booleans. Output: the
// type and shape of data. Like OpenVINO, the layer takes negative numbers of axes too,
// which count from the back.
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
	Bounds:     bounds,
}}

type attributes struct {
	mask bool
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("mode")
	return attributes{mask: a.Enum("mode", "index", "index", "mask") == "mask"}, a.Err()
}
