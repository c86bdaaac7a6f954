// Package regexnormalization replaces the matches of a regular expression in strings.
//
//	RegexNormalization  as pcre2_substitute of PCRE2
//
// Versions: extension.
//
// Inputs: begins and ends, of type i32 and one shape; chars, a vector of u8: string i is
// chars[begins[i]:ends[i]]. Optional: skips, of type boolean, with an element for each string,
// where true means that the string is kept. Then the pattern and the replacement, vectors of u8.
// Outputs: begins, ends and chars of the strings, one after the other, and skips, if there is such
// an input.
//
// Attributes: global_replace, true if missing; false means that only the first match of a string is
// replaced. It is missing in what release 2023.3 has written, whose RE2 replaced nothing where the
// pattern has a lookahead or lookbehind; later releases of OpenVINO Tokenizers replace there.
//
// $1, ${1}, $name and \1 in the replacement are groups. As in OpenVINO, a string stays as it is if
// the pattern is no regular expression, if a group of the replacement does not exist or is not set,
// or if the result is too long: see package internal/text/split, which also has the patterns of old
// converters in whose place OpenVINO takes others.
//
// Errors: a range outside of chars, fewer skips than strings, a pattern that package
// internal/text/regex does not support, and more bytes than an i32 counts.
//
// Specification: OpenVINO Tokenizers.
package regexnormalization

import (
	"github.com/vinoir/vinoir/internal/text/split"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "RegexNormalization", Namespace: "extension",
		Inputs:     ops.Between(5, 6),
		Attributes: parse,
		Infer:      infer,
		Prepare:    prepare,
	},
}

// parse returns the options of the replacement.
func parse(a *ir.Attributes) (any, error) {
	_, written := a.Lookup("global_replace")
	options := split.ReplaceOptions{First: !a.Bool("global_replace", true), RE2: !written}
	return options, a.Err()
}
