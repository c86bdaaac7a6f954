// Package specialtokenssplit finds special tokens in the strings of rows.
//
//	SpecialTokensSplit  each string becomes pieces: special tokens, and what is between them
//
// Versions: extension.
//
// Inputs: begins and ends of rows, of type i32 and one shape; begins and ends of strings, vectors
// of i32; chars, a vector of u8: row i has the strings begins[i] to ends[i]-1. Optional: skips, a
// vector of boolean, where true means that the string stays whole, as a special token. Then the
// pattern, a vector of u8: a regular expression of PCRE2 in which each special token is in a group.
// Outputs: rows of pieces, as the first five inputs, and skips, which is true for special tokens.
// The pieces are ranges of the same chars.
//
// The last group of a match that is set is the token. The rest of the match, white space around the
// token, is in no piece. As in OpenVINO, an empty match ends the search in a string, a string
// without a character has no piece, and a pattern that is no regular expression matches nothing.
//
// Errors: a range outside of chars or strings, fewer or more skips than strings, and a pattern that
// package internal/text/regex does not support.
//
// Specification: OpenVINO Tokenizers.
package specialtokenssplit

import "github.com/vinoir/vinoir/ops"

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "SpecialTokensSplit", Namespace: "extension",
		Inputs:  ops.Between(6, 7),
		Infer:   infer,
		Prepare: prepare,
	},
}
