// Package loop computes Loop, which runs a body repeatedly.
//
//	for i = 0; i < trip_count and execution_condition; i++:
//	    outputs, execution_condition = body(i, slices, states, invariants)
//
// Versions: Loop-5.
//
// Inputs: trip_count, an integer, -1 for no limit, and execution_condition, a boolean, both scalars
// or vectors of one element. The port map gives the use of the other inputs:
//   - An invariant: each iteration reads the whole input.
//   - Slices: the input is cut along an axis, and each iteration reads one slice.
//   - A state: the first iteration reads the input. Each further iteration reads what a Result had
//     in the iteration before; a back edge connects the two. Its shape can change.
//
// Outputs: the value of a Result in the last iteration, or the values of all iterations, joined
// along an axis. If there is no iteration, a state has its initial value, and other outputs have no
// elements. If the body has no Result for execution_condition, the outputs are unknown, as in
// OpenVINO.
//
// Errors: parts of different shapes that are joined; a trip_count or an execution_condition of more
// than one element; inputs or outputs that the port map does not have; an axis beyond the rank of
// the tensor that is cut or joined; a scalar as the output of a loop without iterations.
//
// Specification: OpenVINO operation set, infrastructure, Loop-5.
package loop

import "github.com/vinoir/vinoir/ops"

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "Loop", Version: 5,
	Inputs:  ops.AtLeast(2),
	Values:  []int{0, 1},
	Infer:   infer,
	Prepare: prepare,
	Traits:  ops.Traits{Stateful: true}, // layers of the body may be
}}
