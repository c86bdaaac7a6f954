// Package slice copies a piece of a tensor.
//
//	output[..., i, ...] = data[..., start + i*step, ...]
//
// for each listed axis, from start up to but not including stop. Versions: Slice-8. Inputs: data,
// of any element type and at least one axis; start, stop, step and, optionally, axes: vectors of
// integers of one length. Without axes, they apply to the first axes of data. Negative starts,
// stops and axes count from the back. Starts and stops outside of data mean its ends. A step must
// not be 0. A negative step goes backwards; a start before data then means its first element. No
// axis is listed twice.
//
// Specification: OpenVINO operation set, movement, Slice-8.
package slice

import "github.com/vinoir/vinoir/ops"

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "Slice", Version: 8,
	Inputs:  ops.Between(4, 5),
	Values:  []int{1, 2, 3, 4},
	Infer:   infer,
	Bounds:  bounds,
	Prepare: prepare,
	Traits:  ops.Traits{Moves: true},
}}
