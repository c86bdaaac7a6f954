package product_test

import (
	"testing"

	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/product"
)

func TestFusedRules(t *testing.T) {
	s := onnxtest.NewSuite(t, product.Rules())
	a, b := [][]float32{{1, 2}, {3, -4}}, [][]float32{{1, 0}, {0, 10}}
	rows := [][][]float32{{{1, 2}, {3, 4}}} // one row of each of two matrices
	for _, c := range []onnxtest.Case{
		{Operator: "FusedGemm", Version: 1, Attributes: []any{"activation", "Relu"}, Inputs: []any{a, b}, Want: []any{[][]float32{{1, 20}, {3, 0}}}},
		{Operator: "FusedGemm", Version: 1, Attributes: []any{"activation", "LeakyRelu", "activation_alpha", 0.5, "transA", 1}, Inputs: []any{a, b, []float32{-2, 0}}, Want: []any{[][]float32{{-0.5, 30}, {0, -20}}}},
		{Operator: "FusedGemm", Version: 1, Attributes: []any{"activation", "Selu", "activation_alpha", 1.0, "activation_gamma", 2.0}, Inputs: []any{[][]float32{{1, 0}}, b}, Want: []any{[][]float32{{2, 0}}}},
		{Operator: "FusedGemm", Version: 1, Attributes: []any{"activation", "Other"}, Inputs: []any{a, b}, Error: `activation "Other" is not known`},
		{Operator: "FusedGemm", Version: 1, Attributes: []any{"alpha", 1}, Inputs: []any{a, b}, Error: "attribute alpha is"},
		{Operator: "FusedMatMul", Version: 1, Attributes: []any{"alpha", 0.5, "transB", 1}, Inputs: []any{a, a}, Want: []any{[][]float32{{2.5, -2.5}, {-2.5, 12.5}}}},
		{Operator: "FusedMatMul", Version: 1, Attributes: []any{"transBatchA", 1}, Inputs: []any{rows, b}, Want: []any{[][][]float32{{{1, 20}}, {{3, 40}}}}, Static: true},
		{Operator: "SparseToDenseMatMul", Version: 1, Attributes: []any{"transA", 1, "alpha", 0.5}, Inputs: []any{a, b}, Want: []any{[][]float32{{0.5, 15}, {1, -20}}}},
		{Operator: "TransposeMatMul", Version: 1, Attributes: []any{"transA", 1}, Inputs: []any{a, b}, Want: []any{[][]float32{{1, 30}, {2, -40}}}},
	} {
		c.Domain = "com.microsoft"
		s.Check(c)
	}
}
