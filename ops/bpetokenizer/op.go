// Package bpetokenizer cuts strings into the tokens of a byte-pair encoding.
//
// A string is first cut into symbols, from left to right: the longest word of the vocabulary that
// no merge makes. Then the two neighbours whose merge has the lowest rank become one, until no
// merge applies. Of equal merges, the pair that came up first is merged first. A byte at which no
// symbol starts gives the id of the word <0x0A>, for byte 10, if byte_fallback is set and there is
// such a word; else the id of unk_token, if that is a word; else nothing.
//
// Versions: BPETokenizer of OpenVINO Tokenizers.
//
// Inputs: ragged strings (begins and ends of rows, begins, ends and chars of strings); the
// vocabulary as strings (begins, ends and chars), whose indices are the ids, the last one if a word
// is there several times; the merges as strings, "left right", or the left parts followed by the
// right ones as strings; and optionally added tokens as strings with their ids, which count unless
// the vocabulary has them. These are 11, 14, 15 or 18 inputs, of i32 and, for chars, u8.
//
// Outputs: begins and ends of rows, of the shape of the first input, and ids, all i32.
//
// Attributes: unk_token, "" if missing; end_suffix, appended to each string; byte_fallback, false
// if missing; cache_capacity, the number of strings whose tokens are remembered, 20000 if missing,
// which has no effect on results. fuse_unk and suffix_indicator have none in OpenVINO either.
//
// Errors: ranges that are not in the strings or characters; a part of a merge, or both parts
// together, that are not in the vocabulary; more ids than characters of all strings with their
// end_suffix. OpenVINO has no room for ids of suffixes beyond the characters of strings, and fails.
//
// Specification: OpenVINO Tokenizers, src/bpe_tokenizer.cpp.
package bpetokenizer

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "BPETokenizer", Namespace: "extension",
	Inputs:     ops.Between(11, 18),
	Attributes: parse,
	Values:     []int{5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17},
	Infer:      infer,
	Prepare:    prepare,
	Written:    3,
}}

type attributes struct {
	unknown, endSuffix string
	byteFallback       bool
	cacheCapacity      int64
}

func parse(a *ir.Attributes) (any, error) {
	a.Bool("fuse_unk", false)
	a.String("suffix_indicator", "")
	return attributes{
		unknown:       a.String("unk_token", ""),
		endSuffix:     a.String("end_suffix", ""),
		byteFallback:  a.Bool("byte_fallback", false),
		cacheCapacity: a.Int("cache_capacity", 20000),
	}, a.Err()
}
