package elementwise

import (
	"math"

	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// variadicRules returns the rules of operators with any number of inputs, which broadcast since
// version 8.
func variadicRules() []convert.Rule {
	some := infer.Arity{Min: 1, Max: -1}
	return []convert.Rule{
		{Operator: "Max", Versions: []int{1, 6, 8, 12, 13}, Inputs: some, Outputs: count(1), Convert: chain(extremum("Maximum"))},
		{Operator: "Mean", Versions: []int{1, 6, 8, 13}, Inputs: some, Outputs: count(1), Convert: mean},
		{Operator: "Min", Versions: []int{1, 6, 8, 12, 13}, Inputs: some, Outputs: count(1), Convert: chain(extremum("Minimum"))},
		{Operator: "Sum", Versions: []int{1, 6, 8, 13}, Inputs: some, Outputs: count(1), Convert: chain(arithmetic.Add)},
	}
}

// pairing combines two values.
type pairing func(n *convert.Node, a, b convert.Value) convert.Value

// chain returns a rule's function that combines all inputs, one after the other.
func chain(pair pairing) func(*convert.Node) []convert.Value {
	return func(n *convert.Node) []convert.Value { return []convert.Value{combined(n, pair)} }
}

func combined(n *convert.Node, pair pairing) convert.Value {
	inputs := n.Inputs()
	result := inputs[0]
	for _, v := range inputs[1:] {
		if n.Failed() {
			break
		}
		result = pair(n, result, v)
	}
	return result
}

// extremum returns a pairing by a layer, Maximum or Minimum, which gives its second input if one is
// NaN. As in NumPy, NaN is the result also if the first one is.
func extremum(layerType string) pairing {
	return func(n *convert.Node, a, b convert.Value) convert.Value {
		if isNumber(n, b) {
			a, b = b, a
		}
		result := n.Layer(layerType, 1, nil, a, b)
		if !n.Type(a).IsReal() || isNumber(n, a) {
			return result
		}
		return arithmetic.Select(n, isNaN(n, a), a, result)
	}
}

// isNumber reports whether a value is known to be one number, and not NaN.
func isNumber(n *convert.Node, v convert.Value) bool {
	t := n.Constant(v)
	return t != nil && t.Len() == 1 && !math.IsNaN(t.Values()(0))
}

// mean divides the sum of all inputs by their number.
func mean(n *convert.Node) []convert.Value {
	sum := combined(n, arithmetic.Add)
	number := n.Like(sum, float64(len(n.Inputs())))
	return []convert.Value{arithmetic.Divide(n, sum, number)}
}
