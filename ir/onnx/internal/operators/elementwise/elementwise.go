// Package elementwise converts operators that compute each element of the output from one element
// of each input: functions, arithmetic, comparisons, logic, bits, selection and conversion of
// types.
//
// Since version 7 of ONNX, shapes broadcast as in NumPy. Before, the second input broadcasts to the
// first if the attribute broadcast is set: see operands.
package elementwise

import (
	"slices"

	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	return slices.Concat(unaryRules(), binaryRules(), variadicRules(), castRules(), otherRules())
}

// count returns the arity of exactly n.
func count(n int) infer.Arity { return infer.Arity{Min: n, Max: n} }

// layer returns a rule's function that adds a layer of an opset without attributes.
func layer(layerType string, opset int) func(*convert.Node) []convert.Value {
	return func(n *convert.Node) []convert.Value {
		return []convert.Value{n.Layer(layerType, opset, nil, n.Inputs()...)}
	}
}
