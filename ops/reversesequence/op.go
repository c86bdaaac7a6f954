// Package reversesequence turns around the start of each sequence of a batch.
//
//	output[b, t] = data[b, n-1-t] if t < n, data[b, t] otherwise
//
// where n is seq_lengths[b], b counts along batch_axis and t along seq_axis.
// Versions: ReverseSequence-1. Attributes: batch_axis, 0 where it is missing, and
// seq_axis, 1 where it is missing; negative ones count from the back. Inputs: data
// of any element type and at least two axes, and seq_lengths, a vector of numbers, as
// long as batch_axis. Output: the type and shape of data.
//
// Specification: OpenVINO operation set, movement, ReverseSequence-1.
package reversesequence

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "ReverseSequence", Version: 1,
	Inputs:     ops.Exactly(2),
	Attributes: parse,
	Infer:      infer,
}}

type attributes struct {
	batchAxis, seqAxis int64 // negative count from the back
}

func parse(a *ir.Attributes) (any, error) {
	return attributes{batchAxis: a.Int("batch_axis", 0), seqAxis: a.Int("seq_axis", 1)}, a.Err()
}
