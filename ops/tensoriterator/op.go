// Package tensoriterator computes TensorIterator, which runs a body for each slice of its inputs.
//
//	outputs = body(slice i of the inputs, states, invariants), for each i
//
// Versions: TensorIterator-1.
//
// Inputs: the port map gives the use of each:
//   - An invariant: each iteration reads the whole input.
//   - Slices: the input is cut along an axis, from start to end, into parts of part_size elements.
//     Each iteration reads one part.
//   - A state: the first iteration reads the input. Each further iteration reads what a Result had
//     in the iteration before; a back edge connects the two. Its shape can change.
//
// The Parameters of the body have the types that they declare.
//
// Outputs: the value of a Result in the last iteration, or the values of all iterations, joined
// along an axis. Lengths that depend on the iteration are unknown before the run; OpenVINO infers
// those of the first iteration.
//
// Errors: parts of different shapes that are joined; inputs or outputs that the port map does not
// have; an axis beyond the rank of the tensor that is cut or joined; a TensorIterator in the body.
//
// Specification: OpenVINO operation set, infrastructure, TensorIterator-1.
package tensoriterator

import "github.com/vinoir/vinoir/ops"

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "TensorIterator", Version: 1,
	Inputs:  ops.AtLeast(0),
	Infer:   infer,
	Prepare: prepare,
	Traits:  ops.Traits{Stateful: true}, // layers of the body may be
}}
