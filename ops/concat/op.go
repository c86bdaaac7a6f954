// Package concat joins tensors along one axis.
//
//	output[..., o_k + i, ...] = input_k[..., i, ...]
//
// Here o_k is the sum of the lengths of inputs 0 to k-1 along axis. The inputs have equal lengths
// along all other axes. Versions: Concat-1. Inputs: one or more tensors of one type T and of one
// rank, which is at least 1. T: every element type.
//
// Specification: OpenVINO operation set, movement, Concat-1.
package concat

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "Concat", Version: 1,
	Inputs:     ops.AtLeast(1),
	Attributes: parse,
	Infer:      infer,
	Bounds:     bounds,
	Memory:     ops.Memory{Joins: joins},
	Traits:     ops.Traits{Joins: true},
	Prepare:    prepare,
}}

type attributes struct {
	axis int64 // negative counts from the back
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("axis")
	return attributes{axis: a.Int("axis", 0)}, a.Err()
}
