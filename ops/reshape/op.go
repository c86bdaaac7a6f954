// Package reshape gives the elements of a tensor another shape, in the same order.
//
//	output[i] = data[i], i in row-major order
//
// Versions: Reshape-1. Inputs: data, of any element type and shape; shape, a
// vector of integers, an empty one for a scalar output. In shape, -1 stands for
// what is left over, once at most, and, with the attribute special_zero, 0 for the
// length of the same axis of data. The number of elements stays the same.
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
	Traits:     ops.Traits{Deferrable: true},
	Prepare:    ops.PrepareView,
}}

type attributes struct {
	specialZero bool
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("special_zero")
	return attributes{specialZero: a.Bool("special_zero", false)}, a.Err()
}
