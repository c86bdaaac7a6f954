package experimental_test

import (
	"testing"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/experimental"
)

func TestRules(t *testing.T) {
	s := onnxtest.NewSuite(t, experimental.Rules())
	x := []float32{-1, 0, 2}
	image, err := ir.TensorFrom([]float32{0, 1, 2, 3, 4, 5}, 1, 1, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	images := func(data []float32, height, width int) *ir.Tensor {
		tensor, err := ir.TensorFrom(data, 1, 1, height, width)
		if err != nil {
			t.Fatal(err)
		}
		return tensor
	}
	for _, c := range []onnxtest.Case{
		{Operator: "Affine", Attributes: []any{"alpha", 2.0, "beta", 1.0}, Inputs: []any{x}, Want: []any{[]float32{-1, 1, 5}}},
		{Operator: "ImageScaler", Attributes: []any{"scale", 0.5, "bias", []float64{1}}, Inputs: []any{image}, Want: []any{images([]float32{1, 1.5, 2, 2.5, 3, 3.5}, 2, 3)}},
		{Operator: "ImageScaler", Inputs: []any{x}, Want: []any{x}},
		{Operator: "ParametricSoftplus", Attributes: []any{"alpha", 2.0, "beta", 0.5}, Inputs: []any{x}, Want: []any{[]float32{0.9481539, 1.3862944, 2.6265233}}},
		{Operator: "ScaledTanh", Attributes: []any{"alpha", 2.0, "beta", 0.5}, Inputs: []any{x}, Want: []any{[]float32{-0.9242343, 0, 1.5231884}}},
		{Operator: "ThresholdedRelu", Attributes: []any{"alpha", -2.0}, Inputs: []any{x}, Want: []any{x}},
		{Operator: "Crop", Attributes: []any{"border", []int{1, 0, 0, 1}}, Inputs: []any{image}, Want: []any{images([]float32{1, 2}, 1, 2)}},
		{Operator: "Crop", Attributes: []any{"border", []int{1, 1, 0, 0}, "scale", []int{1, 1}}, Inputs: []any{image}, Want: []any{images([]float32{4}, 1, 1)}},
		{Operator: "Crop", Inputs: []any{image}, Error: "attributes border and scale have 0 and 0 numbers"},
		{Operator: "Crop", Attributes: []any{"border", []int{0, -1, 0, 0}}, Inputs: []any{image}, Error: "attribute border or scale has -1"},
	} {
		c.Version, c.MaxRel = 1, 1e-6
		s.Check(c)
	}
}
