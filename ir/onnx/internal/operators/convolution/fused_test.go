package convolution_test

import (
	"testing"

	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/convolution"
)

func TestFusedRules(t *testing.T) {
	s := onnxtest.NewSuite(t, convolution.Rules())
	x, w := line(1, 2, -4), line(1, 10)
	pads := []int64{0, 1}
	for _, c := range []onnxtest.Case{
		{Operator: "FusedConv", Inputs: []any{x, w}, Want: []any{line(21, -38)}},
		{Operator: "FusedConv", Attributes: []any{"activation", "Relu"}, Inputs: []any{x, w, nil, line(1, 2)}, Want: []any{line(22, 0)}},
		{Operator: "FusedConv", Attributes: []any{"activation", "Clip", "activation_params", []float64{-1, 6}}, Inputs: []any{x, w, []float32{1}}, Want: []any{line(6, -1)}},
		{Operator: "FusedConv", Attributes: []any{"activation", "LeakyRelu", "activation_params", []float64{0.5}}, Inputs: []any{x, w}, Want: []any{line(21, -19)}},
		{Operator: "FusedConv", Attributes: []any{"activation", "LeakyRelu"}, Inputs: []any{x, w}, Error: "attribute activation_params has 0 numbers, LeakyRelu requires 1"},
		{Operator: "FusedConv", Attributes: []any{"group", 0}, Inputs: []any{x, w}, Error: "attribute group is 0"},
		{Operator: "ConvTransposeWithDynamicPads", Inputs: []any{line(1, 2), w, pads}, Want: []any{line(1, 12)}},
		{Operator: "ConvTransposeWithDynamicPads", Inputs: []any{line(1, 2), w, nil, []float32{100}}, Want: []any{line(101, 112, 120)}},
		{Operator: "ConvTransposeWithDynamicPads", Attributes: []any{"group", 2}, Inputs: []any{tensor([]int{1, 2, 2}, 1, 2, 3, 4), tensor([]int{2, 1, 1}, 1, 10), pads},
			Want: []any{tensor([]int{1, 2, 1}, 1, 30)}},
	} {
		c.Domain, c.Version, c.Constants = "com.microsoft", 1, []int{1}
		s.Check(c)
	}
}

func TestMaxpoolWithMask(t *testing.T) {
	s := onnxtest.NewSuite(t, convolution.Rules())
	x := tensor([]int{1, 1, 2, 3}, 1, 2, 3, 4, 5, 6)
	mask := [][][][]int32{{{{0, 1, 1}, {1, 0, 1}}}}
	for _, c := range []onnxtest.Case{
		{Attributes: []any{"kernel_shape", []int{2, 2}}, Inputs: []any{x, mask}, Want: []any{tensor([]int{1, 1, 1, 2}, 4, 3)}},
		{Attributes: []any{"kernel_shape", []int{1, 3}, "pads", []int{0, 1, 0, 0}}, Inputs: []any{x, mask}, Want: []any{tensor([]int{1, 1, 2, 2}, 2, 3, 4, 4)}},
		{Attributes: []any{"kernel_shape", []int{1, 3}, "auto_pad", "VALID"}, Inputs: []any{x, mask}, Error: "windows with auto_pad"},
		{Attributes: []any{"kernel_shape", []int{1, 0}}, Inputs: []any{x, mask}, Error: "expected 1 to 256 columns"},
	} {
		c.Operator, c.Domain, c.Version, c.Static = "MaxpoolWithMask", "com.microsoft", 1, true
		s.Check(c)
	}
}
