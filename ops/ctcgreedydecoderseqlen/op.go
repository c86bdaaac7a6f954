// Package ctcgreedydecoderseqlen computes CTCGreedyDecoderSeqLen, which decodes a sequence: it
// takes the most probable class of each step, and drops repetitions and blanks.
//
//	decoded_classes[b, :] = argmax(data[b, t, :]) for the steps t < sequence_length[b], then -1
//
// Steps with the class blank_index are dropped. If merge_repeated is true, so are steps with the
// class of the step before.
//
// Versions: CTCGreedyDecoderSeqLen-6.
//
// Inputs:
//   - data [N, T, C] of type f32, f64, f16 or bf16.
//   - sequence_length [N] of an integer type.
//   - blank_index, optional: a scalar or a vector of one element, of an integer type. By default it
//     is the last class.
//
// Outputs: decoded_classes [N, T], and decoded_length [N], the number of classes decoded for each
// item.
//
// Attributes: merge_repeated, true by default; classes_index_type and sequence_length_type, the
// types of the outputs, i32 by default or i64.
//
// Of equal probabilities, the first class counts. As in OpenVINO, NaN is never greater than another
// probability, nor is another one greater than NaN: NaN counts only as the probability of class 0.
// A blank_index that is no class drops nothing.
//
// Errors: an N that differs between the inputs; before running also data without classes; in a run,
// a sequence_length that is negative or above T.
//
// Specification: OpenVINO operation set, sequence processing, CTCGreedyDecoderSeqLen-6.
package ctcgreedydecoderseqlen

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/ctc"
	"github.com/vinoir/vinoir/ops/internal/gatherscatter"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "CTCGreedyDecoderSeqLen", Version: 6,
	Written:    2,
	Inputs:     ops.Between(2, 3),
	Types:      ctc.Types,
	PortTypes:  []ops.PortTypes{{Port: 1, Types: gatherscatter.Integers}},
	Attributes: parse,
	Infer:      infer,
	Prepare:    prepare,
}}

type attributes struct {
	mergeRepeated           bool
	classesType, lengthType ir.ElementType
}

func parse(a *ir.Attributes) (any, error) {
	return attributes{
		mergeRepeated: a.Bool("merge_repeated", true),
		classesType:   a.ElementType("classes_index_type", ir.I32),
		lengthType:    a.ElementType("sequence_length_type", ir.I32),
	}, a.Err()
}
