// Package stringtransform converts operators that compute strings from strings: StringConcat,
// StringNormalizer, StringSplit and RegexFullMatch.
package stringtransform

import (
	"slices"
	"strings"

	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	one, two := infer.Arity{Min: 1, Max: 1}, infer.Arity{Min: 2, Max: 2}
	return []convert.Rule{
		{Operator: "RegexFullMatch", Versions: []int{20}, Inputs: one, Outputs: one, Convert: regexFullMatch},
		{Operator: "StringConcat", Versions: []int{20}, Inputs: two, Outputs: one, Convert: stringConcat},
		{Operator: "StringNormalizer", Versions: []int{10}, Inputs: one, Outputs: one, Convert: stringNormalizer},
		{Operator: "StringSplit", Versions: []int{20}, Inputs: one, Outputs: two, Convert: stringSplit},
	}
}

// stringConcat joins the strings of two tensors, which are broadcast to each other.
func stringConcat(n *convert.Node) []convert.Value {
	a, b := n.Input(0), n.Input(1)
	if s, t := n.Shape(a), n.Shape(b); !s.IsStatic() || s.String() != t.String() {
		both := convert.Attributes("mode", "bidirectional")
		a, b = n.Layer("Broadcast", 3, both, a, n.ShapeOf(b)), n.Layer("Broadcast", 3, both, b, n.ShapeOf(a))
	}
	return []convert.Value{n.Own("StringConcat", nil, a, b)}
}

// regexFullMatch says which strings a regular expression matches as a whole.
func regexFullMatch(n *convert.Node) []convert.Value {
	n.RequireAttribute("pattern")
	return []convert.Value{n.Own("RegexFullMatch", nil, n.Input(0), n.ValueOf(n.Text("pattern", "")))}
}

// stringSplit gives the parts of strings, and their numbers.
func stringSplit(n *convert.Node) []convert.Value {
	limit := n.Int("maxsplit", -1)
	parts := n.Own("StringSplit", convert.Attributes("maxsplit", limit), n.Input(0), n.ValueOf(n.Text("delimiter", "")))
	if n.Failed() {
		return nil
	}
	return []convert.Value{parts, parts.Output(1)}
}

// cases are those that a StringNormalizer changes letters to.
var cases = []string{"NONE", "LOWER", "UPPER"}

// stringNormalizer leaves out stop words and changes the case of others. The locale is not used:
// the letters that a language changes in its own way are few, as in Turkish.
func stringNormalizer(n *convert.Node) []convert.Value {
	words := n.TextList("stopwords")
	attributes := convert.Attributes("case", strings.ToLower(n.Enum("case_change_action", "NONE", cases...)), "sensitive", n.Bool("is_case_sensitive", false))
	return []convert.Value{n.Own("StringNormalizer", attributes, n.Input(0), n.ValueOf(slices.Clip(words), len(words)))}
}
