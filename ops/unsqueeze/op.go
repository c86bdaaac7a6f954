// Package unsqueeze adds axes of length 1 to a shape.
//
//	output[i] = data[i], i in row-major order
//
// Versions: Unsqueeze-1. Inputs: data, of any element type and shape; axes, a
// scalar or vector of at least one integer: where the new axes stand in the shape
// of the output, negative ones counted from its back. An axis that is named twice
// is added once.
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
	Traits:  ops.Traits{Deferrable: true},
	Prepare: ops.PrepareView,
}}
