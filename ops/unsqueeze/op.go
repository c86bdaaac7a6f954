// Package unsqueeze adds axes of length 1 to a shape.
//
//	output[i] = data[i], i in row-major order
//
// Versions: Unsqueeze-1. Inputs: data, of any element type and shape; axes, a scalar or a vector of
// at least one integer: the positions of the new axes in the shape of the output. Negative
// positions count from the back. An axis that is listed twice is added once.
//
// Specification: OpenVINO operation set, shape, Unsqueeze-1.
package unsqueeze

import "github.com/vinoir/vinoir/ops"

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "Unsqueeze", Version: 1,
	Inputs:  ops.Exactly(2),
	Values:  []int{1},
	Infer:   infer,
	Bounds:  bounds,
	Memory:  ops.Memory{View: true},
	Traits:  ops.Traits{Moves: true, Deferrable: true},
	Prepare: ops.PrepareView,
}}
