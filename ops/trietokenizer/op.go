// Package trietokenizer cuts strings into the longest keys of a list, from left to right.
//
// Versions: TrieTokenizer of OpenVINO Tokenizers.
//
// Inputs: ragged strings (begins and ends of rows, begins, ends and chars of strings); the keys as
// strings (begins, ends and chars); the ids of the keys, that of the last one if a key is there
// several times. All are i32 but chars, which are u8.
//
// Outputs: begins and ends of rows, and ids, all i32. Begins and ends have the shape of the begins
// of strings: those behind the rows are empty rows.
//
// Errors: ranges that are not in the strings or characters; more rows than strings; a byte at which
// no key starts, for which OpenVINO does not end; more ids than characters. A key with the id -1
// counts as none, as in OpenVINO.
//
// Specification: OpenVINO Tokenizers, src/trie_tokenizer.cpp.
package trietokenizer

import "github.com/vinoir/vinoir/ops"

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "TrieTokenizer", Namespace: "extension",
	Inputs:  ops.Exactly(9),
	Values:  []int{5, 6, 7, 8},
	Infer:   infer,
	Prepare: prepare,
	Written: 3,
}}
