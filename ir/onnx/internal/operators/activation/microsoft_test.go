package activation_test

import (
	"math"
	"testing"

	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/activation"
)

func TestMicrosoft(t *testing.T) {
	s := onnxtest.NewSuite(t, activation.Rules())
	gelu := func(x float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) }
	fast := func(x float64) float64 { return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x))) }
	swish := func(alpha float64) func(float64) float64 {
		return func(x float64) float64 { return x / (1 + math.Exp(-alpha*x)) }
	}
	row := func(f func(float64) float64, values ...float64) [][]float32 {
		list := make([]float32, len(values))
		for i, v := range values {
			list[i] = float32(f(v))
		}
		return [][]float32{list}
	}
	same := func(x float64) float64 { return x }
	x, bias := row(same, -2, 0, 0.5, 3), []float32{1, -1, 0.5, 0.25}
	for _, c := range []onnxtest.Case{
		{Operator: "BiasAdd", Inputs: []any{x, bias, row(same, 10, 20, 30, 40)}, Want: []any{row(same, 9, 19, 31, 43.25)}},
		{Operator: "BiasGelu", Inputs: []any{x, bias}, Want: []any{row(gelu, -1, -1, 1, 3.25)}},
		{Operator: "BiasSplitGelu", Inputs: []any{x, bias}, Want: []any{[][]float32{{float32(-gelu(1)), float32(-gelu(3.25))}}}},
		{Operator: "FastGelu", Inputs: []any{x, bias}, Want: []any{row(fast, -1, -1, 1, 3.25)}},
		{Operator: "FastGelu", Inputs: []any{x}, Want: []any{row(fast, -2, 0, 0.5, 3)}},
		{Operator: "Gelu", Inputs: []any{x}, Want: []any{row(gelu, -2, 0, 0.5, 3)}},
		{Operator: "QuickGelu", Inputs: []any{x}, Want: []any{row(swish(1.702), -2, 0, 0.5, 3)}},
		{Operator: "QuickGelu", Attributes: []any{"alpha", 1.0}, Inputs: []any{x}, Want: []any{row(swish(1), -2, 0, 0.5, 3)}},
		{Operator: "ScaledSiLU", Attributes: []any{"alpha", 2.0}, Inputs: []any{x}, Want: []any{row(swish(1), -4, 0, 1, 6)}},
		{Operator: "BiasGelu", Inputs: []any{x}, Error: "1 inputs are connected, expected 2"},
	} {
		c.Domain, c.Version, c.MaxRel = "com.microsoft", 1, 1e-6
		s.Check(c)
	}
}
