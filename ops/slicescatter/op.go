// Package slicescatter sets a piece of a tensor to another tensor.
//
//	output[..., start + i*step, ...] = updates[..., i, ...]
//
// for each axis that is named, from start up to and without stop, and data
// elsewhere. Versions: SliceScatter-15. Inputs: data, of any element type and at
// least one axis; updates, of that type and of the shape of the piece; start, stop,
// step and, optionally, axes, as those of Slice-8: vectors of one length of
// integers; without axes they are for the first axes of data. Negative starts,
// stops and axes count from the back; starts and stops outside of data mean its
// ends. A step is not 0; no axis is named twice.
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
