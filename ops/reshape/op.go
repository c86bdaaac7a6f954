// Package reshape gives a tensor another shape. The elements keep their order.
//
//	output[i] = data[i], i in row-major order
//
// Versions: Reshape-1. Inputs: data, of any element type and shape; shape, a vector of integers,
// empty for a scalar output. One element of shape may be -1: that length follows from the number of
// elements, which stays the same. If the attribute special_zero is set, 0 means the length of the
// same axis of data.
//
// Specification: OpenVINO operation set, shape, Reshape-1.
package reshape

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "Reshape", Version: 1,
	Inputs:     ops.Exactly(2),
	Attributes: parse,
	Values:     []int{1},
	Infer:      infer,
	Bounds:     bounds,
	Memory:     ops.Memory{View: true},
	Traits:     ops.Traits{Moves: true, Deferrable: true},
	Prepare:    ops.PrepareView,
}}

type attributes struct {
	specialZero bool
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("special_zero")
	return attributes{specialZero: a.Bool("special_zero", false)}, a.Err()
}
