// Package ifop runs one of two bodies.
//
//	outputs = then_body(inputs) if cond, else else_body(inputs)
//
// Versions: If-8. Inputs: cond, boolean, a scalar or of one element, then what the
// port maps of the bodies name. Each output comes from a Result of each body; their
// types are equal. If cond is a constant, the outputs are those of its body;
// otherwise a dimension is known where both bodies agree on a length, a range
// where their lengths differ, and unknown where one does not know it.
//
// Errors: a cond of more than one element; bodies with different numbers of outputs or
// types of an output; an output that comes from no Result.
//
// Specification: OpenVINO operation set, condition, If-8.
package ifop

import "github.com/vinoir/vinoir/ops"

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "If", Version: 8,
	Inputs:  ops.AtLeast(1),
	Values:  []int{0},
	Infer:   infer,
	Prepare: prepare,
	Traits:  ops.Traits{Stateful: true}, // what is in the bodies may be
}}
