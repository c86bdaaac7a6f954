// Package vocab looks up strings in a vocabulary.
//
//	VocabEncoder  output[i] = values[k] if string i is key k; default if it is none
//	VocabDecoder  string i of row b is that of ids[b,i]
//
// Versions: VocabEncoder and VocabDecoder of OpenVINO Tokenizers.
//
// Inputs of VocabEncoder: strings (begins and ends, i32, and chars, u8); the keys as strings; their
// values, i32 or i64, those of the first one if a key is there several times; the default value, of
// the same type. Output: values, of the shape of the begins.
//
// Inputs of VocabDecoder: ids, i32 or i64, of shape [rows, n]; the vocabulary as strings;
// optionally the ids to skip, i32 or i64, which replace the attribute skip_tokens. Outputs: begins
// and ends of rows, of shape [rows]; begins and ends of strings, and chars. The string of an id to
// skip, of a negative one and of one beyond the vocabulary is empty. If n is 0, each row has one
// empty string.
//
// Errors: ranges that are not in the characters; a number of values that is not that of the keys; a
// default without elements; strings of more bytes than an i32 counts.
//
// Specification: OpenVINO Tokenizers, src/vocab_encoder.cpp and src/vocab_decoder.cpp.
package vocab

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "VocabDecoder", Namespace: "extension",
		Inputs:     ops.Between(4, 5),
		Attributes: parse,
		Values:     []int{1, 2, 3},
		Infer:      inferDecoder,
		Prepare:    prepareDecoder,
		Written:    5,
	},
	{
		Type: "VocabEncoder", Namespace: "extension",
		Inputs:  ops.Exactly(8),
		Values:  []int{3, 4, 5},
		Infer:   inferEncoder,
		Prepare: prepareEncoder,
	},
}

type attributes struct {
	skip []int64
}

func parse(a *ir.Attributes) (any, error) { return attributes{a.Ints("skip_tokens")}, a.Err() }
