// Package loop infers Loop, which runs a body again and again.
//
//	for i = 0; i < trip_count and execution_condition; i++:
//	    outputs, execution_condition = body(i, slices, states, invariants)
//
// Versions: Loop-5. Inputs: trip_count, an integer, -1 for no limit, and
// execution_condition, boolean, both scalars or of one element, then what the port
// map names: taken whole by each iteration, cut along an axis into one slice for
// each, or the first value of a state, which a back edge leads on from the
// Result before. An output is what the last iteration gave, or what all gave, joined
// along an axis. The body's condition is computed even if the loop has none.
//
// Errors: a trip_count or a condition of more than one element; inputs or outputs that
// the port map does not have; an axis beyond the rank of what is cut or joined; a
// scalar as the output of a loop without iterations.
//
// Specification: OpenVINO operation set, infrastructure, Loop-5.
package loop

import "github.com/vinoir/vinoir/ops"

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "Loop", Version: 5,
	Inputs: ops.AtLeast(2),
	Values: []int{0, 1},
	Infer:  infer,
	Traits: ops.Traits{Stateful: true}, // what is in the body may be
}}
