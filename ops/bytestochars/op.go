// Package bytestochars maps bytes to printable characters and back, by the table of GPT-2.
//
// Bytes that are printable characters of Latin-1 stay, the 68 others become U+0100 to U+0143, in
// their order. Both directions write UTF-8, of one or two bytes for each byte.
//
// Versions: BytesToChars, CharsToBytes of OpenVINO Tokenizers.
//
// Inputs: ragged strings (begins and ends of rows, begins and ends of strings, all i32, and chars,
// u8), and for BytesToChars optionally skips, boolean, for each string: true leaves it as it is.
//
// Outputs of BytesToChars: the same with mapped strings, one behind the other. Strings in no row
// are empty. Outputs of CharsToBytes: strings, begins and ends of the shape of the rows, and chars:
// the strings of a row are joined.
//
// Errors: ranges that are not in the strings or characters; strings in several rows that give more
// than two bytes for each byte of chars, or more than one in the other direction. What OpenVINO
// computes for characters outside of the table is undefined; here they stay as they are.
//
// Specification: OpenVINO Tokenizers, src/bytes_to_chars.cpp and src/chars_to_bytes.cpp.
package bytestochars

import "github.com/vinoir/vinoir/ops"

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "BytesToChars", Namespace: "extension",
		Inputs:  ops.Between(5, 6),
		Infer:   inferChars,
		Prepare: prepareChars,
		Written: 5,
	},
	{
		Type: "CharsToBytes", Namespace: "extension",
		Inputs:  ops.Exactly(5),
		Infer:   inferBytes,
		Prepare: prepareBytes,
		Written: 3,
	},
}
