// Package ctcgreedydecoder takes the most probable class of each step, without
// repetitions and blanks.
//
//	output[b, :, 0, 0] = the classes argmax(data[t, b, :]) of the steps t that
//	sequence_mask[t, b] begins with, but those of the blank, the last class, and, with
//	ctc_merge_repeated, those equal to the one before; then -1
//
// Versions: CTCGreedyDecoder-1. Attributes: ctc_merge_repeated, true where it is
// missing. Inputs: data of shape [T, N, C] and sequence_mask of shape [T, N]. Output:
// the type of data, of shape [N, T, 1, 1].
//
// Specification: OpenVINO operation set, sequence processing, CTCGreedyDecoder-1.
package ctcgreedydecoder

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "CTCGreedyDecoder", Version: 1,
	Inputs:     ops.Exactly(2),
	Attributes: parse,
	Infer:      infer,
}}

type attributes struct {
	mergeRepeated bool
}

func parse(a *ir.Attributes) (any, error) {
	return attributes{a.Bool("ctc_merge_repeated", true)}, a.Err()
}
