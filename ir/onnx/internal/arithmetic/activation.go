package arithmetic

import (
	"strings"

	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Activation is a function of one element: an operator of ONNX, or what an attribute of another
// operator names.
type Activation struct {
	// Name is that of the operator in ONNX; "" is the identity.
	Name string
	// Alpha and Beta are its parameters, which mean nothing if it has none. Beta is gamma of Selu.
	// Clip limits to the range from Alpha to Beta.
	Alpha, Beta float32
}

// function says how a function is computed.
type function struct {
	name string
	// defaults are those of its parameters.
	defaults []float32
	apply    func(n *convert.Node, v convert.Value, alpha, beta float64) convert.Value
}

// functions are all that there are, sorted by name.
var functions = []function{
	{"", nil, func(_ *convert.Node, v convert.Value, _, _ float64) convert.Value { return v }},
	{"Affine", []float32{1, 0}, func(n *convert.Node, v convert.Value, alpha, beta float64) convert.Value {
		return Plus(n, Times(n, v, alpha), beta)
	}},
	{"Celu", []float32{1}, func(n *convert.Node, v convert.Value, alpha, _ float64) convert.Value {
		part := n.Layer("Elu", 1, convert.Attributes("alpha", 1), Divide(n, v, n.Like(v, alpha)))
		return Times(n, part, alpha)
	}},
	{"Clip", []float32{0, 0}, func(n *convert.Node, v convert.Value, alpha, beta float64) convert.Value {
		return Clamp(n, v, n.Like(v, alpha), n.Like(v, beta))
	}},
	{"Elu", []float32{1}, func(n *convert.Node, v convert.Value, alpha, _ float64) convert.Value {
		return n.Layer("Elu", 1, convert.Attributes("alpha", float32(alpha)), v)
	}},
	{"HardSigmoid", []float32{0.2, 0.5}, func(n *convert.Node, v convert.Value, alpha, beta float64) convert.Value {
		return n.Layer("HardSigmoid", 1, nil, v, n.Like(v, alpha), n.Like(v, beta))
	}},
	{"LeakyRelu", []float32{0.01}, func(n *convert.Node, v convert.Value, alpha, _ float64) convert.Value {
		return n.Layer("PRelu", 1, nil, v, n.Like(v, alpha))
	}},
	{"ParametricSoftplus", []float32{1, 1}, func(n *convert.Node, v convert.Value, alpha, beta float64) convert.Value {
		return Times(n, n.Layer("SoftPlus", 4, nil, Times(n, v, beta)), alpha)
	}},
	{"Relu", nil, layer("Relu", 1)},
	{"ScaledTanh", []float32{1, 1}, func(n *convert.Node, v convert.Value, alpha, beta float64) convert.Value {
		return Times(n, n.Layer("Tanh", 1, nil, Times(n, v, beta)), alpha)
	}},
	{"Selu", []float32{1.6732632, 1.050701}, func(n *convert.Node, v convert.Value, alpha, gamma float64) convert.Value {
		return n.Layer("Selu", 1, nil, v, n.Like(v, alpha), n.Like(v, gamma))
	}},
	{"Sigmoid", nil, layer("Sigmoid", 1)},
	{"Softplus", nil, layer("SoftPlus", 4)},
	{"Softsign", nil, layer("SoftSign", 9)},
	{"Tanh", nil, layer("Tanh", 1)},
	{"ThresholdedRelu", []float32{1}, func(n *convert.Node, v convert.Value, alpha, _ float64) convert.Value {
		return Select(n, n.Layer("Greater", 1, nil, v, n.Like(v, alpha)), v, n.Like(v, 0))
	}},
}

// layer returns the function of a layer type without attributes.
func layer(layerType string, opset int) func(*convert.Node, convert.Value, float64, float64) convert.Value {
	return func(n *convert.Node, v convert.Value, _, _ float64) convert.Value {
		return n.Layer(layerType, opset, nil, v)
	}
}

// find returns the function with a name, whatever the case of its letters. It is an error if there
// is none.
func find(n *convert.Node, name string) function {
	for _, f := range functions {
		if strings.EqualFold(f.name, name) {
			return f
		}
	}
	n.Fail("activation %.100q is not known", name)
	return functions[0]
}

// NewActivation returns the function with a name, whatever the case of its letters, the defaults of
// its parameters, and how many it has. It is an error if there is none.
func NewActivation(n *convert.Node, name string) (a Activation, parameters int) {
	f := find(n, name)
	a.Name = f.name
	if len(f.defaults) > 0 {
		a.Alpha = f.defaults[0]
	}
	if len(f.defaults) > 1 {
		a.Beta = f.defaults[1]
	}
	return a, len(f.defaults)
}

// Operator returns the function of v that a rule of an operator with a name computes: parameters
// are the attributes alpha and beta of the node.
func Operator(n *convert.Node, name string, v convert.Value) convert.Value {
	a, _ := NewActivation(n, name)
	a.Alpha, a.Beta = n.Float("alpha", a.Alpha), n.Float("beta", a.Beta)
	return a.Apply(n, v)
}

// Apply returns the function of v. It is an error if there is no such function.
func (a Activation) Apply(n *convert.Node, v convert.Value) convert.Value {
	return find(n, a.Name).apply(n, v, float64(a.Alpha), float64(a.Beta))
}
