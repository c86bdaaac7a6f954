// Package ctcgreedydecoderseqlen infers CTCGreedyDecoderSeqLen, which decodes a sequence: it takes
// the most probable class of each step, and drops repetitions and blanks.
//
//	decoded_classes[b, :] = argmax(data[b, t, :]) for the steps t < sequence_length[b], then -1
//
// Steps with the class blank_index are dropped. If merge_repeated is true, so are steps with the
// class of the step before.
//
// Versions: CTCGreedyDecoderSeqLen-6.
//
// Inputs:
//   - data [N, T, C].
//   - sequence_length [N].
//   - blank_index, optional: a scalar or a vector of one element, of an integer type. By default it
//     is the last class.
//
// Outputs: decoded_classes [N, T], and decoded_length [N], the number of classes decoded for each
// item.
//
// Attributes: merge_repeated, true by default; classes_index_type and sequence_length_type, the
// types of the outputs, i32 by default.
//
// Specification: OpenVINO operation set, sequence processing, CTCGreedyDecoderSeqLen-6.
package ctcgreedydecoderseqlen

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "CTCGreedyDecoderSeqLen", Version: 6,
	Inputs:     ops.Between(2, 3),
	Attributes: parse,
	Infer:      infer,
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
