// Package slice cuts pieces out of tensors.
//
//	output[..., i, ...] = data[..., start + i*step, ...]
//
// for each axis that is named, from start up to and without stop. Versions:
// Slice-8. Inputs: data, of any element type and at least one axis; start, stop,
// step and, optionally, axes: vectors of one length of integers; without axes they
// are for the first axes of data. Negative starts, stops and axes count from the
// back; starts and stops outside of data mean its ends. A step is not 0; a negative
// one goes backwards, from the first element at least. No axis is named twice.
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
}}
