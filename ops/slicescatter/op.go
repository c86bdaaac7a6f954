// Package slicescatter replaces a piece of a tensor.
//
//	output[..., start + i*step, ...] = updates[..., i, ...]
//
// for each listed axis, from start up to but not including stop. All other elements of the output
// are those of data. Versions: SliceScatter-15. Inputs: data, of any element type and at least one
// axis; updates, of that type and of the shape of the piece; start, stop, step and, optionally,
// axes, like those of Slice-8: vectors of integers of one length. Without axes, they apply to the
// first axes of data. Negative starts, stops and axes count from the back. Starts and stops outside
// of data mean its ends. A step must not be 0. No axis is listed twice.
//
// Specification: OpenVINO operation set, movement, SliceScatter-15.
package slicescatter

import "github.com/vinoir/vinoir/ops"

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "SliceScatter", Version: 15,
	Inputs:  ops.Between(5, 6),
	Values:  []int{2, 3, 4, 5},
	Infer:   infer,
	Memory:  ops.Memory{InPlace: []int{0}},
	Prepare: prepare,
}}
