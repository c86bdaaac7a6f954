// Package stringtensor infers StringTensorPack, which makes strings from bytes, and
// StringTensorUnpack, which makes bytes from strings.
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
// Errors: known begins or ends that are negative, not sorted, or beyond the end of symbols.
//
// Specification: OpenVINO operation set, type.
package stringtensor

import "github.com/vinoir/vinoir/ops"

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "StringTensorPack", Version: 15,
		Inputs: ops.Exactly(3),
		Values: []int{0, 1},
		Infer:  inferPack,
	},
	{
		Type: "StringTensorUnpack", Version: 15,
		Inputs: ops.Exactly(1),
		Values: []int{0},
		Infer:  inferUnpack,
	},
}
