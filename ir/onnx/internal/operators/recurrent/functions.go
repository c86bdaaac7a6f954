package recurrent

import (
	"slices"

	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// functionsOf reads the functions of each direction. The lists of alpha and beta have elements only
// for functions that have such a parameter.
func functionsOf(n *convert.Node, defaults []string, directions int) [][]arithmetic.Activation {
	names := n.TextList("activations")
	switch count := len(defaults) * directions; {
	case names == nil:
		names = slices.Repeat(defaults, directions)
	case len(names) == len(defaults): // some exporters name them once for both directions
		names = slices.Repeat(names, directions)
	case len(names) < count:
		n.Fail("attribute activations has %d names, expected %d", len(names), count)
		return nil
	}
	alpha, beta := n.FloatList("activation_alpha"), n.FloatList("activation_beta")
	next := func(list *[]float32, otherwise float32) float32 {
		if len(*list) == 0 {
			return otherwise
		}
		value := (*list)[0]
		*list = (*list)[1:]
		return value
	}
	result := make([][]arithmetic.Activation, directions)
	for i := range len(defaults) * directions {
		f, parameters := arithmetic.NewActivation(n, names[i])
		if parameters > 0 {
			f.Alpha = next(&alpha, f.Alpha)
		}
		if parameters > 1 {
			f.Beta = next(&beta, f.Beta)
		}
		result[i/len(defaults)] = append(result[i/len(defaults)], f)
	}
	return result
}

// inLayers reports whether the sequence layers have a function.
func inLayers(f arithmetic.Activation) bool {
	return slices.Contains([]string{"Sigmoid", "Tanh", "Relu", "HardSigmoid"}, f.Name)
}

// apply adds layers that compute a function.
func apply(n *convert.Node, f arithmetic.Activation, x convert.Value) convert.Value {
	if f.Name == "ThresholdedRelu" { // keeps alpha too, unlike the operator
		return arithmetic.Select(n, n.Layer("GreaterEqual", 1, nil, x, n.Like(x, float64(f.Alpha))), x, n.Like(x, 0))
	}
	return f.Apply(n, x)
}
