// Package scatterupdate replaces slices of data along one axis:
//
//	output = data
//	output[..., indices[i, ..., j], ...] = updates[..., i, ..., j, ...]
//
// where the indices are positions along axis. In updates, the axes of indices take the place of
// axis.
//
// Versions: ScatterUpdate-3. Inputs: data and updates, of the same element type T; indices, of
// an integer type; axis, a scalar or a vector of one element, of an integer type. A negative
// axis counts from the last axis. Output: T, of the shape of data. The shape of updates is
//
//	data.shape[:axis] + indices.shape + data.shape[axis+1:]
//
// T: every element type. If axis has length d, an index must be in [0,d-1]. Any other index,
// including negative ones, is an ops.IndexError, and nothing is written then. If several
// updates have the same position, the last one in row-major order counts; the specification
// leaves that open.
//
// [Update] and [UpdateInto] compute the same on slices.
//
// Specification: OpenVINO operation set, movement, ScatterUpdate-3.
package scatterupdate

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops lists the layer types of this family.
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

// The indices of the inputs.
const (
	dataPort = iota
	indicesPort
	updatesPort
	axisPort
)
