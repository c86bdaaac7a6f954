// Package equalstr compares strings.
//
//	output[i] = 1 if string i of a equals string i of b, else 0
//
// Versions: EqualStr of the extension of OpenVINO Tokenizers. Inputs: strings a and strings b, each
// as begins and ends, i32 of one shape, and chars, a vector of u8. If there is only one string on a
// side, it is compared with all of the other. Output: i32, a vector; it is empty if a or b is.
//
// Errors: strings that end before they begin or outside of chars, and different numbers of strings.
//
// Specification: OpenVINO Tokenizers, src/equal_str.cpp.
package equalstr

import "github.com/vinoir/vinoir/ops"

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "EqualStr", Namespace: "extension",
	Inputs:  ops.Exactly(6),
	Infer:   infer,
	Prepare: prepare,
}}
