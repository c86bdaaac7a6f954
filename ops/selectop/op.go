// Package selectop takes each element from one of two tensors.
//
//	output[i] = then[i] if cond[i], else[i] otherwise
//
// for all elements after broadcasting. Versions: Select-1. Inputs: cond, booleans; then and else,
// of one type T. T: every element type.
//
// The attribute auto_broadcast is one of:
//
//   - numpy, the default: the last axes correspond, and lengths of 1 are repeated.
//   - none, also spelled explicit: the shapes are equal.
//   - pdpd: else and cond are repeated to the shape of then. Their axis 0 corresponds to the axis
//     of then in auto_broadcast.auto_broadcast_axis; -1 means that the last axes correspond. If the
//     attribute is missing, it is 0 as in OpenVINO's reader, not -1 as in the specification.
//
// Errors: shapes that do not broadcast by this rule.
//
// Specification: OpenVINO operation set, condition, Select-1; Broadcast Rules For Elementwise
// Operations.
package selectop

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/autobroadcast"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "Select", Version: 1,
	Inputs:     ops.Exactly(3),
	Attributes: parse,
	Infer:      infer,
	Bounds:     bounds,
	Memory:     ops.Memory{InPlace: []int{1, 2}},
	Prepare:    prepare,
}}

func parse(a *ir.Attributes) (any, error) {
	rule := autobroadcast.Parse(a)
	return rule, a.Err()
}
