// Package stringtensor makes strings from bytes, and bytes from strings.
//
//	StringTensorPack    strings[i] = symbols[begins[i] : ends[i]]
//	StringTensorUnpack  the inverse: symbols holds the strings one after the other
//
// Versions: StringTensorPack-15, StringTensorUnpack-15.
//
// Inputs of StringTensorPack: begins and ends, of one shape and one type, i32 or i64; symbols, a
// vector of u8. Output: the strings, of the shape of begins.
//
// Input of StringTensorUnpack: strings. Outputs: begins and ends, of type i32 and the shape of the
// strings; symbols, a vector of u8.
//
// Ranges of symbols may overlap, and symbols may be in none. Like in OpenVINO, begins and ends are
// sorted if they are constant, and need no order otherwise. The strings of an output share one copy
// of the symbols.
//
// Errors: constant begins or ends that are negative, not sorted, or beyond the end of symbols; when
// the layer runs, a begin that is negative, an end before its begin or beyond the end of symbols,
// and strings with more bytes than an i32 counts.
//
// Specification: OpenVINO operation set, type.
package stringtensor

import "github.com/vinoir/vinoir/ops"

// Ops are the layer types of this family.
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
