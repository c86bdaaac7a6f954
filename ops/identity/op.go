// Package identity hands a tensor on.
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
	MinInputs: 1, MaxInputs: 1,
	Infer:   infer,
	View:    true,
	Prepare: ops.PrepareView,
}}
