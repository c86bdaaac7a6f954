// Package stringtensor makes strings from bytes, and bytes from strings.
//
//	StringTensorPack    strings[i] = symbols[begins[i] : ends[i]]
//	StringTensorUnpack  the inverse: symbols holds the strings one after the other
//
// Versions: StringTensorPack-15, StringTensorUnpack-15, and both in the extension of OpenVINO
// Tokenizers, with the attribute mode, which is "begins_ends".
//
// Inputs of StringTensorPack: begins and ends, of one shape and one type, i32 or i64; symbols, a
// vector of u8. Output: the strings, of the shape of begins.
//
// Input of StringTensorUnpack: strings; that of the extension can also be a vector of u8 with
// packed strings. Outputs: begins and ends, of type i32 and the shape of the strings; symbols, a
// vector of u8. Packed strings are the number of strings n, n+1 offsets, and the bytes, string i
// from offset i to offset i+1. Numbers are i32, little-endian. These strings are a vector.
//
// Ranges of symbols may overlap, and symbols may be in none. Like in OpenVINO, begins and ends are
// sorted if they are constant or if the file does not state the shape of the output, and need no
// order otherwise. The strings of an output share one copy of the symbols.
//
// Errors: constant begins or ends that are negative, not sorted, or beyond the end of symbols; when
// the layer runs, a begin that is negative, an end before its begin or beyond the end of symbols,
// strings with more bytes than an i32 counts, and packed strings that are cut.
//
// Specification: OpenVINO operation set, type.
package stringtensor

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family in OpenVINO's opsets.
var Ops = []ops.Op{
	{
		Type: "StringTensorPack", Version: 15,
		Inputs:  ops.Exactly(3),
		Infer:   inferPack,
		Prepare: preparePack,
	},
	{
		Type: "StringTensorUnpack", Version: 15,
		Inputs:  ops.Exactly(1),
		Infer:   inferUnpack,
		Prepare: prepareUnpack,
	},
}

// Extension are the layer types of this family in the extension of OpenVINO Tokenizers.
var Extension = []ops.Op{
	{
		Type: "StringTensorPack", Namespace: "extension",
		Inputs:     ops.Exactly(3),
		Attributes: parse,
		Infer:      inferPack,
		Prepare:    preparePack,
	},
	{
		Type: "StringTensorUnpack", Namespace: "extension",
		Inputs:     ops.Exactly(1),
		Attributes: parse,
		Infer:      inferExtensionUnpack,
		Prepare:    prepareExtensionUnpack,
	},
}

func parse(a *ir.Attributes) (any, error) {
	a.Enum("mode", "begins_ends", "begins_ends")
	return nil, a.Err()
}
