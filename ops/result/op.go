// Package result implements Result: an output of a model.
//
//	output = input
//
// Versions: Result-1. Inputs: one tensor of type T. T: every element type. A Result has no output
// port in the file. In vinoir, it has one output, which is its input.
//
// Specification: OpenVINO operation set, infrastructure, Result-1.
package result

import (
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "Result", Version: 1,
	Inputs:  ops.Exactly(1),
	Infer:   infer,
	Memory:  ops.Memory{View: true},
	Prepare: ops.PrepareView,
}}
