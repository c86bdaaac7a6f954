package arithmetic

import (
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Activation is a function that an attribute of an operator names, to be applied to its result.
type Activation struct {
	// Name is that of the operator in ONNX; "" is the identity.
	Name string
	// Alpha and Beta are its attributes; Beta is gamma of Selu. Clip limits to the range from Alpha
	// to Beta.
	Alpha, Beta float32
}

// Apply returns the function of v. It is an error if there is no such function.
func (a Activation) Apply(n *convert.Node, v convert.Value) convert.Value {
	alpha, beta := float64(a.Alpha), float64(a.Beta)
	switch a.Name {
	case "":
		return v
	case "Celu":
		return Times(n, n.Layer("Elu", 1, convert.Attributes("alpha", 1), Divide(n, v, n.Like(v, alpha))), alpha)
	case "Clip":
		return Clamp(n, v, n.Like(v, alpha), n.Like(v, beta))
	case "Elu":
		return n.Layer("Elu", 1, convert.Attributes("alpha", a.Alpha), v)
	case "HardSigmoid":
		return n.Layer("HardSigmoid", 1, nil, v, n.Like(v, alpha), n.Like(v, beta))
	case "LeakyRelu":
		return n.Layer("PRelu", 1, nil, v, n.Like(v, alpha))
	case "ParametricSoftplus":
		return Times(n, n.Layer("SoftPlus", 4, nil, Times(n, v, beta)), alpha)
	case "Relu":
		return n.Layer("Relu", 1, nil, v)
	case "ScaledTanh":
		return Times(n, n.Layer("Tanh", 1, nil, Times(n, v, beta)), alpha)
	case "Selu":
		return n.Layer("Selu", 1, nil, v, n.Like(v, alpha), n.Like(v, beta))
	case "Sigmoid":
		return n.Layer("Sigmoid", 1, nil, v)
	case "Softplus":
		return n.Layer("SoftPlus", 4, nil, v)
	case "Softsign":
		return n.Layer("SoftSign", 9, nil, v)
	case "Tanh":
		return n.Layer("Tanh", 1, nil, v)
	case "ThresholdedRelu":
		return Select(n, n.Layer("Greater", 1, nil, v, n.Like(v, alpha)), v, n.Like(v, 0))
	}
	n.Fail("activation %q is not known", a.Name)
	return convert.Value{}
}
