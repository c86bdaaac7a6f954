// Package stringtensor makes tensors of strings of their bytes, and bytes of
// strings.
//
//	StringTensorPack    strings[i] = symbols[begins[i] : ends[i]]
//	StringTensorUnpack  the inverse: symbols holds the strings one after the other
//
// Versions: StringTensorPack-15, of inputs begins and ends, of one type, i32 or i64,
// and one shape, that of the strings, and symbols, a vector of u8;
// StringTensorUnpack-15, of outputs begins and ends, i32, and symbols.
//
// Where begins or ends is known, it holds no negative number, rises, and does not go
// beyond symbols.
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
