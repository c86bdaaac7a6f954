// Package transpose reorders the axes of a tensor.
//
//	output[i_order[0], ..., i_order[n-1]] = arg[i_0, ..., i_(n-1)]
//
// Axis k of the output is axis order[k] of arg. Versions: Transpose-1. Inputs: arg, of any element
// type and shape; input_order, a vector of integers that contains each axis of arg once. Negative
// axes are not allowed. An empty input_order reverses the axes.
//
// Specification: OpenVINO operation set, movement, Transpose-1.
package transpose

import "github.com/vinoir/vinoir/ops"

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "Transpose", Version: 1,
	Inputs:  ops.Exactly(2),
	Values:  []int{1},
	Infer:   infer,
	Bounds:  bounds,
	Prepare: prepare,
	Traits:  ops.Traits{Moves: true, Deferrable: true},
}}
