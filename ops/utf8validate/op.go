// Package utf8validate removes or replaces what is not UTF-8 in strings.
//
// Versions: UTF8Validate of the extension of OpenVINO Tokenizers. Attributes: replace_mode, true to
// write U+FFFD for a byte that starts no sequence, for a sequence that ends early, and for each
// byte of an overlong sequence; false, the default, to drop them. As in OpenVINO, surrogates and
// sequences beyond U+10FFFF count as UTF-8. Inputs: strings, which are begins and ends, i32 of one
// shape, and chars, a vector of u8. Outputs: strings of the same shape, one after the other.
//
// Errors: strings that end before they begin or outside of chars, and more bytes than an i32
// counts.
//
// Specification: OpenVINO Tokenizers, src/utf8_validate.cpp.
package utf8validate

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "UTF8Validate", Namespace: "extension",
	Inputs:     ops.Exactly(3),
	Written:    3,
	Attributes: parse,
	Infer:      infer,
	Prepare:    prepare,
}}

type attributes struct{ replace bool }

func parse(a *ir.Attributes) (any, error) {
	return attributes{a.Bool("replace_mode", false)}, a.Err()
}
