// Package scatterupdate replaces slices of data along one axis.
//
//	output = data
//	output[..., indices[i, ..., j], ...] = updates[..., i, ..., j, ...]
//
// where indices counts along axis, and the axes of indices stand in updates in the
// place of axis. Versions: ScatterUpdate-3. Inputs: data and updates, of one element
// type T; indices, of an integer type; axis, of an integer type, a scalar or a vector
// of one element, negative counting from the back. Output: T, of the shape of data.
// The shape of updates is
//
//	data.shape[:axis] + indices.shape + data.shape[axis+1:]
//
// T: every element type. With d the length of data along axis, an index is within
// [0,d-1]; any other, a negative one too, is an ops.IndexError, and then nothing has
// been written. Of several updates for one place the last in row-major order stays:
// the specification leaves that open.
//
// [Update] and [UpdateInto] compute the same on slices.
//
// Specification: OpenVINO operation set, movement, ScatterUpdate-3.
package scatterupdate

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "ScatterUpdate", Version: 3,
	Inputs:     ops.Exactly(4),
	Attributes: func(a *ir.Attributes) (any, error) { return nil, a.Err() },
	Values:     []int{axisPort},
	Infer:      infer,
	Bounds:     bounds,
	Memory:     ops.Memory{InPlace: []int{dataPort}},
	Prepare:    prepare,
}}

// The input ports.
const (
	dataPort = iota
	indicesPort
	updatesPort
	axisPort
)
