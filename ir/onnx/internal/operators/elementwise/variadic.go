package elementwise

import (
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// variadicRules returns the rules of operators with any number of inputs, which broadcast since
// version 8.
func variadicRules() []convert.Rule {
	some := infer.Arity{Min: 1, Max: -1}
	return []convert.Rule{
		{Operator: "Max", Versions: []int{1, 6, 8, 12, 13}, Inputs: some, Outputs: count(1), Convert: chain("Maximum")},
		{Operator: "Mean", Versions: []int{1, 6, 8, 13}, Inputs: some, Outputs: count(1), Convert: mean},
		{Operator: "Min", Versions: []int{1, 6, 8, 12, 13}, Inputs: some, Outputs: count(1), Convert: chain("Minimum")},
		{Operator: "Sum", Versions: []int{1, 6, 8, 13}, Inputs: some, Outputs: count(1), Convert: chain("Add")},
	}
}

// chain returns a rule's function that combines all inputs by layers with two inputs.
func chain(layerType string) func(*convert.Node) []convert.Value {
	return func(n *convert.Node) []convert.Value { return []convert.Value{combined(n, layerType)} }
}

func combined(n *convert.Node, layerType string) convert.Value {
	inputs := n.Inputs()
	result := inputs[0]
	for _, v := range inputs[1:] {
		if n.Failed() {
			break
		}
		result = n.Layer(layerType, 1, nil, result, v)
	}
	return result
}

// mean divides the sum of all inputs by their number.
func mean(n *convert.Node) []convert.Value {
	sum := combined(n, "Add")
	number := n.Like(sum, float64(len(n.Inputs())))
	return []convert.Value{arithmetic.Divide(n, sum, number)}
}
