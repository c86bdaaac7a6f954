// Package ctcgreedydecoderseqlen takes the most probable class of each step, without
// repetitions and blanks.
//
//	decoded_classes[b, :] = the classes argmax(data[b, t, :]) of the steps t below
//	sequence_length[b], but those of blank_index and, with merge_repeated, those equal
//	to the one before; then -1
//
// Versions: CTCGreedyDecoderSeqLen-6. Attributes: merge_repeated, true where it is
// missing; classes_index_type and sequence_length_type, the types of the outputs, i32
// where they are missing. Inputs: data of shape [N, T, C]; sequence_length of shape
// [N]; optionally blank_index, of a type of integers, a scalar or a vector of one
// element, the last class where it is missing. Outputs: decoded_classes, of shape
// [N, T], and decoded_length, of shape [N], how many those are.
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
