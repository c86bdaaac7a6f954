// Package ctcgreedydecoder computes CTCGreedyDecoder, which decodes a sequence: it takes the most
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
// Inputs: data [T, N, C] of type f32, f64, f16 or bf16, and sequence_mask [T, N], which the
// specification restricts to floating-point types. The kernel also accepts integers of 8 bits or
// more. A step whose mask is 0 or -0 ends the sequence; NaN does not.
//
// Output: [N, T, 1, 1] of the type of data. f16 and bf16 round numbers of classes above 2048 and
// 256.
//
// Of equal probabilities, the first class counts. As in OpenVINO, NaN is never greater than another
// probability, nor is another one greater than NaN: NaN counts only as the probability of class 0.
//
// Errors: lengths T and N that differ between the inputs; before running also data without classes.
//
// Attributes: ctc_merge_repeated, true by default.
//
// Specification: OpenVINO operation set, sequence processing, CTCGreedyDecoder-1.
package ctcgreedydecoder

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/ctc"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "CTCGreedyDecoder", Version: 1,
	Inputs:     ops.Exactly(2),
	Types:      ctc.Types,
	PortTypes:  []ops.PortTypes{{Port: 1, Types: maskTypes}},
	Attributes: parse,
	Infer:      infer,
	Prepare:    prepare,
}}

// maskTypes are the types of sequence_mask.
var maskTypes = []ir.ElementType{
	ir.F32, ir.F64, ir.F16, ir.BF16, ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64, ir.Boolean,
}

type attributes struct {
	mergeRepeated bool
}

func parse(a *ir.Attributes) (any, error) {
	return attributes{a.Bool("ctc_merge_repeated", true)}, a.Err()
}
