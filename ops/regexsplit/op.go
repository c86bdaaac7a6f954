// Package regexsplit cuts the strings of rows at the matches of a regular expression.
//
//	RegexSplit  each string becomes the pieces that behaviour says
//
// Versions: extension.
//
// Inputs: begins and ends of rows, of type i32 and one shape; begins and ends of strings, vectors
// of i32; chars, a vector of u8: row i has the strings begins[i] to ends[i]-1. Optional: skips, a
// vector of boolean, where true means that the string stays whole. Then the pattern, a vector of
// u8: a regular expression of PCRE2. Layers of old converters have three more inputs instead of
// skips, begins, ends and chars of strings that stay whole. Outputs: rows of pieces, as the first
// five inputs, and skips, if there is such an input. The pieces are ranges of the same chars.
//
// Attributes: behaviour says what becomes of a match and of what is between matches. remove, the
// default: only what is between is a piece; isolate: both are; contiguous: both are, and matches
// side by side are one; mergedwithprevious, mergedwithnext: a match belongs to what precedes or
// follows it, as in OpenVINO, where a match beside another one has pieces that overlap. With
// invert, false if missing, matches and what is between change places. max_splits: piece
// max_splits+1 ends at the end of the string, and the pieces after it come all the same; -1, the
// default, for no limit.
//
// As in OpenVINO: an empty match ends the search in a string; a pattern that is no regular
// expression matches nothing; if chars is empty, there is one row, from 0 to 0, and the strings
// stay as they are. Unlike in OpenVINO 2026.4.1, without skips no string is skipped: that release
// reads flags for strings from beyond the end of those that it has for rows.
//
// Errors: a range outside of chars or strings, fewer or more skips than strings, and a pattern that
// package internal/text/regex does not support.
//
// Specification: OpenVINO Tokenizers.
package regexsplit

import (
	"strings"

	"github.com/vinoir/vinoir/internal/text/split"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "RegexSplit", Namespace: "extension",
		Inputs:     ops.Between(6, 9),
		Attributes: parse,
		Infer:      infer,
		Prepare:    prepare,
	},
}

type attributes struct {
	behaviour split.Behaviour
	invert    bool
	maxSplits int
}

var behaviours = []string{"remove", "isolate", "contiguous", "mergedwithprevious", "mergedwithnext"}

func parse(a *ir.Attributes) (any, error) {
	at := attributes{invert: a.Bool("invert", false), maxSplits: int(a.Int("max_splits", -1))}
	name, found := a.String("behaviour", "remove"), false
	for i, behaviour := range behaviours {
		if name == behaviour {
			at.behaviour, found = split.Behaviour(i), true
		}
	}
	if !found {
		a.Fail("behaviour", "%q, expected one of %s", name, strings.Join(behaviours, " "))
	}
	if at.maxSplits == 0 || at.maxSplits < -1 {
		a.Fail("max_splits", "%d, expected -1 or more than 0", at.maxSplits)
	}
	return at, a.Err()
}
