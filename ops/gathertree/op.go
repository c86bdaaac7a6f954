// Package gathertree follows the beams of a beam search back to their starts.
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
// Floats in parent_idx and max_seq_len are truncated. A max_seq_len above max_time counts as
// max_time; if it is below 1 or NaN, the whole item is end_token. An end_token that is NaN ends no
// beam.
//
// Errors: an element of parent_idx that a beam refers to, and that is outside of [0,beam_width-1].
// Those of step 0 and of steps from max_seq_len on are not read.
//
// Specification: OpenVINO operation set, movement, GatherTree-1.
package gathertree

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "GatherTree", Version: 1,
	Inputs:  ops.Exactly(4),
	Types:   []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16, ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64},
	Infer:   infer,
	Prepare: widened.Prepare(widened.Small, prepare, 0, 1, 2, 3),
}}
