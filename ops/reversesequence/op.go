// Package reversesequence reverses the start of each sequence of a batch.
//
//	output[b, t] = data[b, n-1-t] if t < n, data[b, t] otherwise
//
// n is seq_lengths[b], b counts along batch_axis, and t counts along seq_axis.
//
// Versions: ReverseSequence-1.
//
// Inputs: data of any element type and rank 2 or more, and seq_lengths, a vector of a numeric type
// with the length of batch_axis. Floats are truncated.
//
// Output: the type and shape of data.
//
// Attributes: batch_axis, 0 by default, and seq_axis, 1 by default. Negative axes count from the
// back. Both may be the same axis.
//
// Errors: a length that is negative, NaN, or greater than that of seq_axis.
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
	Prepare:    prepare,
	Traits:     ops.Traits{Moves: true},
}}

type attributes struct {
	batchAxis, seqAxis int64 // negative count from the back
}

func parse(a *ir.Attributes) (any, error) {
	return attributes{batchAxis: a.Int("batch_axis", 0), seqAxis: a.Int("seq_axis", 1)}, a.Err()
}
