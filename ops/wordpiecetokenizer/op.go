// Package wordpiecetokenizer cuts strings into the longest pieces of a vocabulary.
//
// The first piece of a string is the longest word of the vocabulary without the suffix indicator
// that it starts with. Each further one is the longest with the indicator, which is left out. If
// there is none, the whole string is unknown, and so is a string of more than max_bytes_per_word
// bytes.
//
// Versions: WordpieceTokenizer of OpenVINO Tokenizers.
//
// Inputs: ragged strings (begins and ends of rows, begins, ends and chars of strings); the
// vocabulary as strings (begins, ends and chars), whose indices are the ids, the last one if a word
// is there several times; the id of unknown strings, i32 or i64. The others are i32 but chars,
// which are u8.
//
// Outputs: begins and ends of rows, of the shape of the first input, and ids, all i32.
//
// Attributes: suffix_indicator, "##" if missing; max_bytes_per_word, 100 if missing.
//
// Errors: ranges that are not in the strings or characters; more ids than characters. What OpenVINO
// computes for an empty string is undefined; here it is unknown.
//
// Specification: OpenVINO Tokenizers, src/wordpiece_tokenizer.cpp.
package wordpiecetokenizer

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "WordpieceTokenizer", Namespace: "extension",
	Inputs:     ops.Exactly(9),
	Attributes: parse,
	Values:     []int{5, 6, 7, 8},
	Infer:      infer,
	Prepare:    prepare,
	Written:    3,
}}

type attributes struct {
	suffixIndicator string
	maxBytes        int64
}

func parse(a *ir.Attributes) (any, error) {
	return attributes{a.String("suffix_indicator", "##"), a.Int("max_bytes_per_word", 100)}, a.Err()
}
