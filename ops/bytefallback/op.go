// Package bytefallback turns byte tokens into the bytes that they stand for.
//
//	"<0x41>" → "A"; any other six bytes in angle brackets → the byte 0xFF; other strings stay
//
// Versions: ByteFallback of the extension of OpenVINO Tokenizers. Inputs: strings, which are begins
// and ends, i32 of one shape, and chars, a vector of u8. Outputs: strings of the same shape, one
// after the other.
//
// Errors: strings that end before they begin or outside of chars, and more bytes than an i32
// counts.
//
// Specification: OpenVINO Tokenizers, src/byte_fallback.cpp.
package bytefallback

import "github.com/vinoir/vinoir/ops"

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "ByteFallback", Namespace: "extension",
	Inputs:  ops.Exactly(3),
	Written: 3,
	Infer:   infer,
	Prepare: prepare,
}}
