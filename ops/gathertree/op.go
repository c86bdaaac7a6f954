// Package gathertree follows the beams of a beam search back to their starts.
//
//	output[t, b, k] = step_ids[t, b, p(t)], p(t-1) = parent_idx[t, b, p(t)]
//
// from the last step of a beam, max_seq_len[b] - 1, where p is k; steps behind it and
// behind the first end_token are end_token. Versions: GatherTree-1. Inputs: step_ids
// and parent_idx, of shape [max_time, batch, beam_width]; max_seq_len, a vector of
// [batch]; end_token, a scalar: all of one type T. Output: T, the shape of step_ids.
// T: numbers.
//
// Specification: OpenVINO operation set, movement, GatherTree-1.
package gathertree

import "github.com/vinoir/vinoir/ops"

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "GatherTree", Version: 1,
	Inputs: ops.Exactly(4),
	Infer:  infer,
}}
