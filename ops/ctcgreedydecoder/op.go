// Package ctcgreedydecoder infers CTCGreedyDecoder, which decodes a sequence: it takes the most
// probable class of each step, and drops repetitions and blanks.
//
//	output[b, :, 0, 0] = argmax(data[t, b, :]) for the steps t of item b, then -1
//
// The steps of item b are the leading steps that sequence_mask[t, b] marks. Steps with the blank,
// which is the last class, are dropped. If ctc_merge_repeated is true, so are steps with the class
// of the step before.
//
// Versions: CTCGreedyDecoder-1.
//
// Inputs: data [T, N, C] and sequence_mask [T, N].
//
// Output: [N, T, 1, 1] of the type of data.
//
// Attributes: ctc_merge_repeated, true by default.
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
