// Package contribstring joins and splits strings.
//
//	ContribStringJoin   the strings along an axis become one, with a separator between them
//	ContribStringSplit  each string becomes the parts between separators, as a sparse tensor
//
// Versions: those of the extension of OpenVINO Tokenizers, for the StringJoin and StringSplit of
// ONNX Runtime's extensions.
//
// Strings are begins and ends, i32 of one shape, and chars, a vector of u8. Inputs of
// ContribStringJoin: strings; separator, a vector of u8; axis, one i32 or i64, which counts from
// the end if it is negative. Outputs: strings of the shape without that axis. A scalar stays as it
// is.
//
// Inputs of ContribStringSplit: strings; separator, a vector of u8; skip_empty, one boolean, u8 or
// i8. Outputs: indices i64 [n, rank+1], the position of the string and the number of the part in
// it; the n parts as strings; shape i64 [rank+1], that of the strings and the largest number of
// parts. Without skip_empty, an empty part is a part; with it, it only counts. An empty separator
// splits into bytes.
//
// Errors: strings that end before they begin or outside of chars; an axis out of range; more bytes
// than an i32 counts.
//
// Specification: OpenVINO Tokenizers, src/contrib_string_ops.cpp.
package contribstring

import "github.com/vinoir/vinoir/ops"

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "ContribStringJoin", Namespace: "extension",
		Inputs:  ops.Exactly(5),
		Written: 3,
		Infer:   inferJoin,
		Prepare: prepareJoin,
	},
	{
		Type: "ContribStringSplit", Namespace: "extension",
		Inputs:  ops.Exactly(5),
		Written: 5,
		Infer:   inferSplit,
		Prepare: prepareSplit,
	},
}
