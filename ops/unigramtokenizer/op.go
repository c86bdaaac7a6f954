// Package unigramtokenizer cuts strings into the pieces of a vocabulary with the best sum of
// scores.
//
// Sums are computed in f32, from left to right. Of equal ones, that which was found first stays:
// pieces are tried at each character, from left to right, short ones first. A character that is no
// piece can be unknown, with a score of 10 less than the lowest one. Neighbouring unknown ones
// share an id.
//
// Versions: UnigramTokenizer of OpenVINO Tokenizers.
//
// Inputs: ragged strings (begins and ends of rows, begins, ends and chars of strings); the
// vocabulary as strings (begins, ends and chars), whose indices are the ids, the first one if a
// piece is there several times; the scores, f32. All others are i32 but chars, which are u8.
//
// Outputs: begins and ends of rows, of the shape of the first input, and ids, all i32.
//
// Attributes: unk_token_id, 0 if missing. byte_fallback, fuse_unk and min_score have no effect, as
// in OpenVINO.
//
// Errors: ranges that are not in the strings or characters; an empty piece; a number of scores that
// is not that of the pieces; more ids than characters.
//
// Specification: OpenVINO Tokenizers, src/unigram_tokenizer.cpp.
package unigramtokenizer

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "UnigramTokenizer", Namespace: "extension",
	Inputs:     ops.Exactly(9),
	Attributes: parse,
	Values:     []int{5, 6, 7, 8},
	Infer:      infer,
	Prepare:    prepare,
	Written:    3,
}}

type attributes struct {
	unknown int32
}

func parse(a *ir.Attributes) (any, error) {
	a.Bool("byte_fallback", false)
	a.Bool("fuse_unk", false)
	a.Float("min_score", math.Inf(1))
	id := a.Int("unk_token_id", 0)
	if id != int64(int32(id)) {
		a.Fail("unk_token_id", "%d is no i32", id)
	}
	return attributes{int32(id)}, a.Err()
}
