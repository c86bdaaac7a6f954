package recurrent

import (
	"slices"
	"strings"

	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// function is an activation with its parameters.
type function struct {
	name        string
	alpha, beta float32
}

// parameters are the defaults of the functions that have alpha, or alpha and beta.
var parameters = map[string][]float32{
	"affine": {1, 0}, "elu": {1}, "hardsigmoid": {0.2, 0.5}, "leakyrelu": {0.01}, "scaledtanh": {1, 1}, "thresholdedrelu": {1},
}

// plain are the layer types of functions without parameters.
var plain = map[string]layerType{
	"relu": {"Relu", 1}, "sigmoid": {"Sigmoid", 1}, "softplus": {"SoftPlus", 4}, "softsign": {"SoftSign", 9}, "tanh": {"Tanh", 1},
}

type layerType struct {
	name  string
	opset int
}

// functionsOf reads the functions of each direction. The lists of alpha and beta have elements only
// for functions that have such a parameter.
func functionsOf(n *convert.Node, defaults []string, directions int) [][]function {
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
	result := make([][]function, directions)
	for i := range len(defaults) * directions {
		f := function{name: strings.ToLower(names[i])}
		values := parameters[f.name]
		if _, ok := plain[f.name]; !ok && values == nil {
			n.Fail("the activation %.100q is not one of ONNX", names[i])
			return nil
		}
		if len(values) > 0 {
			f.alpha = next(&alpha, values[0])
		}
		if len(values) > 1 {
			f.beta = next(&beta, values[1])
		}
		result[i/len(defaults)] = append(result[i/len(defaults)], f)
	}
	return result
}

// inLayers reports whether the sequence layers have the function.
func (f function) inLayers() bool {
	return slices.Contains([]string{"sigmoid", "tanh", "relu", "hardsigmoid"}, f.name)
}

// apply adds layers that compute the function.
func (f function) apply(n *convert.Node, x convert.Value) convert.Value {
	if layer, ok := plain[f.name]; ok {
		return n.Layer(layer.name, layer.opset, nil, x)
	}
	alpha, beta := float64(f.alpha), float64(f.beta)
	times := func(x convert.Value, by float64) convert.Value { return n.Layer("Multiply", 1, nil, x, n.Like(x, by)) }
	switch f.name {
	case "affine":
		return n.Layer("Add", 1, nil, times(x, alpha), n.Like(x, beta))
	case "elu":
		return n.Layer("Elu", 1, convert.Attributes("alpha", f.alpha), x)
	case "hardsigmoid":
		return n.Layer("HardSigmoid", 1, nil, x, n.Like(x, alpha), n.Like(x, beta))
	case "leakyrelu":
		return n.Layer("PRelu", 1, nil, x, n.Unsqueeze(n.Like(x, alpha), 0))
	case "scaledtanh":
		return times(n.Layer("Tanh", 1, nil, times(x, beta)), alpha)
	}
	// ThresholdedRelu
	return n.Layer("Select", 1, nil, n.Layer("GreaterEqual", 1, nil, x, n.Like(x, alpha)), x, n.Like(x, 0))
}
