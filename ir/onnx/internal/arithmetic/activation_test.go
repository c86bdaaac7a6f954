package arithmetic_test

import (
	"testing"

	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
)

func TestActivation(t *testing.T) {
	x := []float32{-1, 0, 2}
	for name, want := range map[string][]float32{
		"": x, "Affine": {0.25, 0.5, 1}, "Celu": {-0.24542109, 0, 2}, "Clip": {0.25, 0.25, 0.5}, "Elu": {-0.15803014, 0, 2}, "HardSigmoid": {0.25, 0.5, 1}, "LeakyRelu": {-0.25, 0, 2}, "Relu": {0, 0, 2},
		"Sigmoid": {0.26894142, 0.5, 0.880797}, "Softplus": {0.3132617, 0.6931472, 2.126928}, "Softsign": {-0.5, 0, 0.6666667}, "Tanh": {-0.7615942, 0, 0.9640276},
		"ParametricSoftplus": {0.118519246, 0.1732868, 0.32831541}, "ScaledTanh": {-0.11552929, 0, 0.19039854}, "Selu": {-0.07901507, 0, 1},
		"ThresholdedRelu": {0, 0, 2}, "Other": nil,
	} {
		apply := func(n *convert.Node, a, _, _ convert.Value) convert.Value {
			return arithmetic.Activation{Name: name, Alpha: 0.25, Beta: 0.5}.Apply(n, arithmetic.Plus(n, a, 0.5))
		}
		c := onnxtest.Case{Operator: "Activation", Version: 1, Inputs: []any{[]float32{-1.5, -0.5, 1.5}, int64(0), int64(0)}, Want: []any{want}, MaxRel: 1e-6}
		if want == nil {
			c.Want, c.Error = nil, `activation "Other" is not known`
		}
		onnxtest.NewSuite(t, []convert.Rule{rule("Activation", apply)}).Check(c)
	}
}

// TestOperator checks the defaults of attributes, and that the case of names is ignored.
func TestOperator(t *testing.T) {
	s := onnxtest.NewSuite(t, []convert.Rule{rule("Operator", func(n *convert.Node, a, _, _ convert.Value) convert.Value {
		return n.Concat(0, arithmetic.Operator(n, "hardsigmoid", a), arithmetic.Operator(n, "LEAKYRELU", a), arithmetic.Operator(n, "relu", a))
	})})
	c := onnxtest.Case{Operator: "Operator", Version: 1, Inputs: []any{[]float32{-1}, int64(0), int64(0)}, MaxRel: 1e-6}
	c.Want = []any{[]float32{0.3, -0.01, 0}}
	s.Check(c)
	c.Attributes, c.Want = []any{"alpha", 0.25, "beta", 0.75}, []any{[]float32{0.5, -0.25, 0}}
	s.Check(c)
}
