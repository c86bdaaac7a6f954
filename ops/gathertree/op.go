// Package gathertree infers GatherTree, which follows the beams of a beam search back to their
// starts.
//
//	output[t, b, k] = step_ids[t, b, p(t)], p(t-1) = parent_idx[t, b, p(t)]
//
// A beam ends at step t = max_seq_len[b] - 1, and p is k there. The steps after it, and those after
// the first end_token, are end_token.
//
// Versions: GatherTree-1.
//
// Inputs, of one numeric type T: step_ids and parent_idx [max_time, batch, beam_width], max_seq_len
// [batch], and end_token, a scalar.
//
// Output: type T and the shape of step_ids.
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
