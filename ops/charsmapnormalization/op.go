// Package charsmapnormalization normalizes strings with a map of characters, as SentencePiece does:
// see package charsmap.
//
//	CharsMapNormalization  a built-in map, or one of a SentencePiece model, and rules for spaces
//	NormalizeUnicode       a built-in map
//	CaseFold               simple case folding, or that of ASCII alone
//
// Versions: extension.
//
// Inputs: begins and ends, of type i32 and one shape; chars, a vector of u8: string i is
// chars[begins[i]:ends[i]]. Optional: skips, of type boolean, with an element for each string,
// where true means that the string is kept; CaseFold with an empty encoding ignores it. The last
// input of CharsMapNormalization, if normalization_form is empty, is the map in precompiled form: a
// vector of u8. Outputs: begins, ends and chars of the normalized strings, one after the other, and
// skips, if there is such an input.
//
// Attributes of CharsMapNormalization: normalization_form, identity, nfc, nfd, nfkc or nfkd in
// letters of any case, empty if missing; case_fold, add_dummy_prefix, escape_whitespaces, false if
// missing; remove_extra_whitespaces, true if missing; nmt, without effect. identity needs
// case_fold. Attributes of NormalizeUnicode: normalization_form, NFC, NFD, NFKC or NFKD, NFD if
// missing. Attributes of CaseFold: encoding, utf-8 or empty, utf-8 if missing; lower, true if
// missing, which utf-8 needs.
//
// Errors: an unknown form, a range outside of chars, fewer skips than strings, a map that is
// damaged, and more bytes than an i32 counts.
//
// Specification: OpenVINO Tokenizers.
package charsmapnormalization

import (
	"github.com/vinoir/vinoir/internal/text/charsmap"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "CharsMapNormalization", Namespace: "extension",
		Inputs:     ops.Between(3, 5),
		Attributes: parseCharsMap,
		Infer:      inferCharsMap,
		Prepare:    prepareCharsMap,
	},
	{
		Type: "NormalizeUnicode", Namespace: "extension",
		Inputs:     ops.Between(3, 4),
		Attributes: parseUnicode,
		Infer:      infer,
		Prepare:    prepareUnicode,
	},
	{
		Type: "CaseFold", Namespace: "extension",
		Inputs:     ops.Between(3, 4),
		Attributes: parseCaseFold,
		Infer:      infer,
		Prepare:    prepareCaseFold,
	},
}

type attributes struct {
	form     string // empty: the map is an input
	caseFold bool
	options  charsmap.Options
}

func parseCharsMap(a *ir.Attributes) (any, error) {
	at := attributes{
		form:     a.String("normalization_form", ""),
		caseFold: a.Bool("case_fold", false),
		options: charsmap.Options{
			AddDummyPrefix:         a.Bool("add_dummy_prefix", false),
			RemoveExtraWhitespaces: a.Bool("remove_extra_whitespaces", true),
			EscapeWhitespaces:      a.Bool("escape_whitespaces", false),
		},
	}
	a.Bool("nmt", false)
	return at, a.Err()
}

func parseUnicode(a *ir.Attributes) (any, error) {
	form := a.String("normalization_form", "NFD")
	switch form {
	case "NFC", "NFD", "NFKC", "NFKD":
	default:
		a.Fail("normalization_form", "%q, expected NFC, NFD, NFKC or NFKD", form)
	}
	return attributes{form: form}, a.Err()
}

// caseFold is the attributes of CaseFold.
type caseFold struct{ ascii, lower bool }

func parseCaseFold(a *ir.Attributes) (any, error) {
	encoding, lower := a.String("encoding", "utf-8"), a.Bool("lower", true)
	switch {
	case encoding != "" && encoding != "utf-8":
		a.Fail("encoding", "%q, expected utf-8 or nothing", encoding)
	case encoding == "utf-8" && !lower:
		a.Fail("lower", "false with encoding utf-8, expected true")
	}
	return caseFold{encoding == "", lower}, a.Err()
}
