package normalization_test

import (
	"math"
	"testing"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/normalization"
)

// tensor returns a tensor of f32.
func tensor(shape []int, data ...float32) *ir.Tensor {
	t, err := ir.TensorFrom(data, shape...)
	if err != nil {
		panic(err)
	}
	return t
}

// inv returns 1 / sqrt(x).
func inv(x float64) float32 { return float32(1 / math.Sqrt(x)) }

func TestBatch(t *testing.T) {
	s := onnxtest.NewSuite(t, normalization.Rules())
	// Two channels with two elements each: means 2 and 6, variances 1 and 4
	x := tensor([]int{1, 2, 2}, 1, 3, 4, 8)
	channels := func(a, b float32) *ir.Tensor { return tensor([]int{2}, a, b) }
	one, zero := channels(1, 1), channels(0, 0)
	for _, c := range []onnxtest.Case{
		{Operator: "BatchNormalization", Version: 9, Attributes: []any{"epsilon", 0.0}, Inputs: []any{x, channels(2, 3), channels(0, 1), channels(1, 4), channels(4, 1)},
			Want: []any{tensor([]int{1, 2, 2}, 0, 2, 1, 13)}},
		{Operator: "BatchNormalization", Version: 6, Attributes: []any{"is_test", 1, "epsilon", 0.0}, Inputs: []any{x, one, zero, channels(1, 4), one}, Want: []any{tensor([]int{1, 2, 2}, 0, 2, 0, 4)}},
		{Operator: "BatchNormalization", Version: 7, Attributes: []any{"spatial", 0, "epsilon", 0.0},
			Inputs: []any{x, tensor([]int{2, 2}, 1, 1, 1, 1), tensor([]int{2, 2}, 1, 1, 1, 1), tensor([]int{2, 2}, 1, 2, 3, 4), tensor([]int{2, 2}, 4, 4, 4, 4)},
			Want:   []any{tensor([]int{1, 2, 2}, 1, 1.5, 1.5, 3)}, MaxRel: 1e-6},
		{Operator: "BatchNormalization", Version: 15, Attributes: []any{"training_mode", 1, "epsilon", 0.0, "momentum", 0.5}, Inputs: []any{x, one, zero, channels(4, 8), channels(3, 2)},
			Want: []any{tensor([]int{1, 2, 2}, -1, 1, -1, 1), channels(3, 7), channels(2, 3)}, MaxRel: 1e-6, Static: true},
		{Operator: "BatchNormalization", Version: 9, Inputs: []any{x}, Error: "1 inputs are connected, expected 5"},
		{Operator: "InstanceNormalization", Version: 6, Attributes: []any{"epsilon", 0.0}, Inputs: []any{x, channels(1, 2), channels(0, 5)}, Want: []any{tensor([]int{1, 2, 2}, -1, 1, 3, 7)}, MaxRel: 1e-6, Static: true},
		{Operator: "GroupNormalization", Version: 21, Attributes: []any{"num_groups", 2, "epsilon", 0.0}, Inputs: []any{x, channels(1, 2), channels(0, 5)}, Want: []any{tensor([]int{1, 2, 2}, -1, 1, 3, 7)}, MaxRel: 1e-6},
		{Operator: "GroupNormalization", Version: 18, Attributes: []any{"num_groups", 1, "epsilon", 6.5}, Inputs: []any{x, tensor([]int{1}, 2), tensor([]int{1}, 1)},
			Want: []any{tensor([]int{1, 2, 2}, 1-6*inv(13), 1-2*inv(13), 1, 1+8*inv(13))}, MaxRel: 1e-6},
		{Operator: "GroupNormalization", Version: 18, Inputs: []any{x, one, zero}, Error: "attribute num_groups is missing"},
	} {
		s.Check(c)
	}
}

func TestAxes(t *testing.T) {
	s := onnxtest.NewSuite(t, normalization.Rules())
	x := tensor([]int{2, 2}, 1, 3, 4, 8)
	gamma, beta := []float32{1, 2}, []float32{0, 10}
	for _, c := range []onnxtest.Case{
		{Operator: "LayerNormalization", Version: 17, Attributes: []any{"epsilon", 0.0}, Inputs: []any{x, gamma, beta}, MaxRel: 1e-6,
			Want: []any{tensor([]int{2, 2}, -1, 12, -1, 12), tensor([]int{2, 1}, 2, 6), tensor([]int{2, 1}, 1, 0.5)}},
		{Operator: "LayerNormalization", Version: 17, Attributes: []any{"axis", 0, "epsilon", 9.5}, Inputs: []any{x, gamma}, MaxRel: 1e-6,
			Want: []any{tensor([]int{2, 2}, -3*inv(16), -2*inv(16), 0, 8*inv(16)), nil, tensor([]int{1, 1}, 0.25)}, Static: true},
		{Operator: "LayerNormalization", Version: 17, Attributes: []any{"axis", 2}, Inputs: []any{x, gamma}, Error: "axis 2 of rank 2 is out of range"},
		{Operator: "RMSNormalization", Version: 23, Attributes: []any{"epsilon", 0.0}, Inputs: []any{x, gamma}, MaxRel: 1e-6,
			Want: []any{tensor([]int{2, 2}, inv(5), 6*inv(5), 4*inv(40), 16*inv(40))}},
		{Operator: "LpNormalization", Version: 1, Inputs: []any{tensor([]int{2, 2}, 3, 4, 0, 0)}, Want: []any{tensor([]int{2, 2}, 0.6, 0.8, 0, 0)}, MaxRel: 1e-6},
		{Operator: "LpNormalization", Version: 22, Attributes: []any{"p", 1, "axis", 0}, Inputs: []any{x}, Want: []any{tensor([]int{2, 2}, 0.2, 3.0/11, 0.8, 8.0/11)}, MaxRel: 1e-6},
		{Operator: "LpNormalization", Version: 22, Attributes: []any{"p", 3}, Inputs: []any{x}, Error: "attribute p is 3, expected 1 or 2"},
		{Operator: "MeanVarianceNormalization", Version: 1, Attributes: []any{"normalize_variance", 0}, Inputs: []any{tensor([]int{1, 2, 2, 1}, 1, 3, 4, 8)},
			Want: []any{tensor([]int{1, 2, 2, 1}, -1, 1, -2, 2)}, MaxRel: 1e-6, Static: true},
		{Operator: "MeanVarianceNormalization", Version: 1, Attributes: []any{"across_channels", 1}, Inputs: []any{tensor([]int{1, 4, 1, 1}, 1, 3, 1, 3)},
			Want: []any{tensor([]int{1, 4, 1, 1}, -1, 1, -1, 1)}, MaxRel: 1e-6, Static: true},
		{Operator: "MeanVarianceNormalization", Version: 9, Attributes: []any{"axes", []int{1}}, Inputs: []any{x}, Want: []any{tensor([]int{2, 2}, -1, 1, -1, 1)}, MaxRel: 1e-6},
		{Operator: "MeanVarianceNormalization", Version: 13, Inputs: []any{tensor([]int{1, 2, 2, 1}, 1, 3, 4, 8)}, Want: []any{tensor([]int{1, 2, 2, 1}, -1, 1, -1, 1)}, MaxRel: 1e-6, Static: true},
		{Operator: "LRN", Version: 1, Attributes: []any{"size", 1, "alpha", 3.0, "beta", 0.5}, Inputs: []any{tensor([]int{1, 2, 1}, 1, 4)}, Want: []any{tensor([]int{1, 2, 1}, 0.5, 4.0/7)}, MaxRel: 1e-6, Static: true},
		{Operator: "LRN", Version: 13, Inputs: []any{tensor([]int{1, 2, 1}, 1, 4)}, Error: "attribute size is missing"},
	} {
		s.Check(c)
	}
}
