// Package tensoriterator infers TensorIterator, which runs a body for each slice of its
// inputs.
//
//	outputs = body(slice i of the inputs, states, invariants), for each i
//
// Versions: TensorIterator-1. Inputs are what the port map names: taken whole by each
// iteration, cut along an axis into parts of part_size elements, from start to end,
// or the first value of a state, which a back edge leads on from the Result
// before. An output is what the last iteration gave, or what all gave, joined along an
// axis. The types of the Parameters in the body are those that they declare.
//
// Errors: inputs or outputs that the port map does not have; an axis beyond the rank of
// what is cut or joined; a TensorIterator in the body.
//
// Specification: OpenVINO operation set, infrastructure, TensorIterator-1.
package tensoriterator

import "github.com/vinoir/vinoir/ops"

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "TensorIterator", Version: 1,
	Inputs: ops.AtLeast(0),
	Infer:  infer,
	Traits: ops.Traits{Stateful: true}, // what is in the body may be
}}
