// Package split cuts a tensor into pieces along one axis.
//
//	output_k[..., i, ...] = data[..., o_k + i, ...]
//
// Here o_k is the sum of the lengths of outputs 0 to k-1 along axis. Versions: Split-1, with
// num_splits pieces of equal length, and VariadicSplit-1, with the lengths in split_lengths; one of
// them may be -1, which means the rest. Inputs: data, of any element type and at least one axis;
// axis, a scalar of an integer type, for VariadicSplit also a vector of one element, which counts
// from the back if it is negative; split_lengths, a vector of integers. Attribute: num_splits of
// Split-1, required and positive. Errors: a length that is not a multiple of num_splits,
// split_lengths that do not add up to the length of the axis, and more outputs than pieces.
//
// Specification: OpenVINO operation set, movement, Split-1 and VariadicSplit-1.
package split

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "Split", Version: 1,
		Inputs:     ops.Exactly(2),
		Attributes: parse,
		Values:     []int{1},
		Infer:      inferSplit,
		Bounds:     bounds,
		Memory:     ops.Memory{Pieces: pieces},
		Prepare:    prepare,
		Traits:     ops.Traits{Moves: true},
	},
	{
		Type: "VariadicSplit", Version: 1,
		Inputs:  ops.Exactly(3),
		Values:  []int{1, 2},
		Infer:   inferVariadic,
		Bounds:  bounds,
		Memory:  ops.Memory{Pieces: pieces},
		Prepare: prepare,
		Traits:  ops.Traits{Moves: true},
	},
}

type attributes struct {
	splits int64
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("num_splits")
	at := attributes{splits: a.Int("num_splits", 0)}
	if at.splits <= 0 {
		a.Fail("num_splits", "%d is not positive", at.splits)
	}
	return at, a.Err()
}
