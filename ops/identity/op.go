// Package identity returns a tensor unchanged.
//
//	output[i] = data[i]
//
// Versions: Identity-16. Inputs: data, of any element type and shape.
//
// Specification: OpenVINO operation set, matrix, Identity-16.
package identity

import "github.com/vinoir/vinoir/ops"

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "Identity", Version: 16,
	Inputs:  ops.Exactly(1),
	Infer:   infer,
	Memory:  ops.Memory{View: true},
	Prepare: ops.PrepareView,
}}
