// Package selectop takes each element from one of two tensors.
//
//	output[i] = then[i] where cond[i], else[i] elsewhere
//
// over the elements of all three after broadcasting. Versions: Select-1. Inputs:
// cond, booleans; then and else, of one type T. T: every element type.
//
// The attribute auto_broadcast is numpy, the default: axes aligned at the right,
// lengths of 1 stretched; none, or explicit: equal shapes; pdpd: else and cond are
// stretched to then from the axis in auto_broadcast.auto_broadcast_axis on, -1 for
// the last axes; where it is missing, OpenVINO's reader takes 0, not the
// specification's -1. Errors: shapes that do not broadcast so.
//
// Specification: OpenVINO operation set, condition, Select-1; Broadcast Rules For
// Elementwise Operations.
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
