// Package einsum computes Einsum, which sums products of elements. The attribute equation selects
// them.
//
//	output[labels of the output] = sum over all other labels of
//	                               input_0[its labels] * input_1[its labels] * ...
//
// equation has the labels of each input's axes, one letter for each axis, separated by commas. The
// labels of the output follow after "->".
//
// An ellipsis "..." stands for any number of axes. They are broadcast among the inputs by numpy's
// rule, and summed if the output has no ellipsis. A label that occurs twice in one input takes the
// diagonal. Axes of several inputs with one label are broadcast.
//
// Without "->" the output has the ellipsis, if any input has it, and then the labels that occur in
// only one input, in the order of their character codes. A label that occurs there more than once
// is repeated; the specification drops it instead.
//
// The specification allows blanks in equation. Like OpenVINO, this package refuses them.
//
// Versions: Einsum-7.
//
// Inputs: one or more tensors of one numeric type T. f16 and bf16 are computed in float32 and
// rounded once. Integers wrap.
//
// Output: type T.
//
// Attributes: equation, without a default in the specification.
//
// Several inputs are multiplied pair by pair: first the pair with the fewest multiplications. The
// sum over no elements is 0.
//
// Errors: an equation that does not fit the ranks of the inputs, and axes with one label that do
// not broadcast. A label that is twice in the output has a shape, but no kernel; OpenVINO does not
// compile it either.
//
// Specification: OpenVINO operation set, matrix, Einsum-7.
package einsum

import (
	"errors"
	"slices"
	"sort"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "Einsum", Version: 7,
	Inputs: ops.AtLeast(1),
	Types: []ir.ElementType{
		ir.F32, ir.F64, ir.F16, ir.BF16,
		ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64,
	},
	Attributes: parse,
	Infer:      infer,
	Prepare:    prepare,
}}

// subscript holds the labels of a tensor's axes; ellipsis may be one of them.
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
			return nil, errors.New("the dots are not one ellipsis")
		default:
			return nil, faults.Errorf("%q is no letter", c)
		}
	}
	return s, nil
}

// implicit returns the labels of the output of an equation without "->".
func implicit(inputs []subscript) subscript {
	var count [256]int // for each label, the number of inputs that have it
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
	// Unlike slices.Sort, sort.Slice has no instance of its own for each type.
	sort.Slice(output, func(i, j int) bool { return output[i] < output[j] })
	if count[ellipsis] > 0 {
		output = slices.Insert(output, 0, ellipsis)
	}
	return output
}
