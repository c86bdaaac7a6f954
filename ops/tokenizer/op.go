// Package tokenizer computes Tokenizer: the tokens of each text.
//
//	characters  output[i] = the characters of data[i]
//	separators  output[i] = what is between the matches of the patterns in data[i]
//	tokens      output[i] = the matches of the pattern in data[i]
//
// Versions: the namespace vinoir. Models that are read from ONNX files have the layer, since none
// of OpenVINO's says it.
//
// Inputs: data, strings of UTF-8; patterns, a constant vector of regular expressions in the syntax
// of RE2, with no element for characters and one for tokens; pad_value, one constant string.
//
// Output: strings, with an axis behind those of data that is as long as the largest number of
// tokens, and pad_value behind the last token.
//
// Attributes:
//   - mode: "characters", "separators" or "tokens".
//   - mincharnum: 1 by default, the number of characters that a token has at least. It is 1 for
//     characters.
//   - mark: false by default. If it is true, "\x02" is before the first token and "\x03" behind the
//     last one, unless no text has a token.
//
// A match is the leftmost one, and of those the longest. Each pattern separates the pieces that the
// ones before it have left, each of which has a start and an end. A match that is empty separates,
// too, and the character behind it is no part of a token. A match that is too short for a token
// does not count: the search goes on at its second character.
//
// Errors: a text that is not UTF-8.
//
// Specification: ONNX Runtime has an operator of that name, com.microsoft.Tokenizer.
package tokenizer

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "Tokenizer", Namespace: "vinoir",
	Inputs:     ops.Exactly(3),
	Types:      []ir.ElementType{ir.String},
	Attributes: parse,
	Values:     []int{1, 2},
	Infer:      infer,
	Prepare:    prepare,
}}

// mode says what tokens are.
type mode uint8

const (
	characters mode = iota
	separators
	tokens
)

// attributes are those of a layer.
type attributes struct {
	mode     mode
	shortest int // of the characters of a token
	mark     bool
}

func parse(a *ir.Attributes) (any, error) {
	modes := map[string]mode{"characters": characters, "separators": separators, "tokens": tokens}
	at := attributes{modes[a.Enum("mode", "characters", "characters", "separators", "tokens")], int(a.Int("mincharnum", 1)), a.Bool("mark", false)}
	if a.Err() == nil && (at.shortest < 1 || at.shortest > 1 && at.mode == characters) {
		return nil, faults.Errorf("mincharnum is %d", at.shortest)
	}
	return at, a.Err()
}

// infer adds an axis of unknown length to the shape of data.
func infer(in *ops.Inference) error {
	for i, name := range []string{"data", "patterns", "pad_value"} {
		if t := in.Inputs[i].Type; t != ir.String && t != ir.Dynamic {
			return faults.Errorf("%s is %v, expected string", name, t)
		}
	}
	if err := check.Rank("patterns", in.Inputs[1].Shape, 1); err != nil {
		return err
	}
	if err := check.OneElement("pad_value", in.Inputs[2].Shape); err != nil {
		return err
	}
	shape := in.Inputs[0].Shape
	if shape.RankKnown() {
		dims := append([]ir.Dimension{}, shape.Dims()...)
		shape = ir.ShapeOf(append(dims, ir.AnyDim)...)
	}
	return ops.SetOutputs(in, ir.Fact{Type: ir.String, Shape: shape})
}
