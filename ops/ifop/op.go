// Package ifop runs one of two bodies.
//
//	outputs = then_body(inputs) if cond, else else_body(inputs)
//
// Versions: If-8. Inputs: cond, of type boolean and shape [] or [1]; then the inputs that the port
// maps of the bodies connect to Parameters. Each output comes from one Result of each body. The
// types of the two Results must be equal.
//
// Shapes: if cond is constant, the outputs have the shapes of the body that runs. Otherwise the two
// shapes are merged. If the length of a dimension is static in both bodies, the result is that
// length, or a range if the two differ. Else the length is unknown.
//
// Errors: a cond of more than one element; bodies with different numbers of outputs; an output with
// different types in the two bodies; an output that no Result is connected to.
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
	Traits:  ops.Traits{Stateful: true}, // layers in the bodies may be stateful
}}
