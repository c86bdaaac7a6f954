// Package einsum sums products of elements that an equation names.
//
//	output[labels of the output] = sum over all other labels of
//	                               input_0[its labels] * input_1[its labels] * ...
//
// The attribute equation has the labels of each input's axes, one letter each,
// separated by commas, and, behind "->", those of the output. An ellipsis "..."
// stands for any number of axes, which are broadcast among the inputs by numpy's
// rule, and are summed over where the output has none. A label that occurs twice in
// one input takes the diagonal. Axes of several inputs with one label are broadcast.
//
// Without "->" the output has the ellipsis, if any input has it, and, in the order of
// their character codes, the labels that occur in only one of the inputs, each as
// often as it occurs there; where that is more than once, the specification has none
// of them. OpenVINO's reader refuses the blanks that the specification allows.
//
// Versions: Einsum-7. Inputs: one tensor or more, of one type T of numbers. Output: T.
// The equation has no default. Errors: one that does not fit the ranks of the inputs,
// and axes of one label that do not broadcast.
//
// Specification: OpenVINO operation set, matrix, Einsum-7.
package einsum

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "Einsum", Version: 7,
	Inputs:     ops.AtLeast(1),
	Attributes: parse,
	Infer:      infer,
}}

// subscript is the labels of a tensor's axes, ellipsis among them.
type subscript []byte

const ellipsis = '.'

type attributes struct {
	inputs []subscript
	output subscript
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("equation")
	at, err := parseEquation(a.String("equation", ""))
	if err != nil {
		a.Fail("equation", "%v", err)
	}
	return at, a.Err()
}

func parseEquation(equation string) (attributes, error) {
	inputs, output, explicit := strings.Cut(equation, "->")
	var at attributes
	for text := range strings.SplitSeq(inputs, ",") {
		s, err := parseSubscript(text)
		if err != nil {
			return at, err
		}
		at.inputs = append(at.inputs, s)
	}
	if !explicit {
		at.output = implicit(at.inputs)
		return at, nil
	}
	var err error
	at.output, err = parseSubscript(output)
	return at, err
}

func parseSubscript(text string) (subscript, error) {
	s := make(subscript, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
			s = append(s, c)
		case strings.HasPrefix(text[i:], "...") && !slices.Contains(s, ellipsis):
			s = append(s, ellipsis)
			i += 2
		case c == '.':
			return nil, errors.New("dots are no single ellipsis")
		default:
			return nil, fmt.Errorf("%q is no letter", c)
		}
	}
	return s, nil
}

// implicit returns the labels of the output of an equation without "->".
func implicit(inputs []subscript) subscript {
	var count [256]int // the inputs that have the label
	for _, s := range inputs {
		var seen [256]bool
		for _, label := range s {
			if !seen[label] {
				seen[label] = true
				count[label]++
			}
		}
	}
	var output subscript
	for _, s := range inputs {
		for _, label := range s {
			if label != ellipsis && count[label] == 1 {
				output = append(output, label)
			}
		}
	}
	slices.Sort(output)
	if count[ellipsis] > 0 {
		output = slices.Insert(output, 0, ellipsis)
	}
	return output
}
