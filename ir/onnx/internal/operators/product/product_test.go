package product_test

import (
	"testing"

	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/product"
)

func TestRules(t *testing.T) {
	s := onnxtest.NewSuite(t, product.Rules())
	a, b := [][]float32{{1, 2}, {3, 4}}, [][]float32{{1, 0}, {1, 2}}
	for _, c := range []onnxtest.Case{
		{Operator: "MatMul", Version: 1, Inputs: []any{a, b}, Want: []any{[][]float32{{3, 4}, {7, 8}}}},
		{Operator: "MatMul", Version: 9, Inputs: []any{[]int32{1, 2}, []int32{3, 4}}, Want: []any{int32(11)}},
		{Operator: "MatMul", Version: 13, Inputs: []any{a, [][]float32{{1, 2, 3}}}, Error: "MatMul"},
		{Operator: "Gemm", Version: 6, Attributes: []any{"broadcast", 1}, Inputs: []any{a, b, []float32{10, 20}}, Want: []any{[][]float32{{13, 24}, {17, 28}}}},
		{Operator: "Gemm", Version: 7, Attributes: []any{"transA", 1, "alpha", 0.5}, Inputs: []any{a, b, [][]float32{{1}, {2}}}, Want: []any{[][]float32{{3, 4}, {5, 6}}}},
		{Operator: "Gemm", Version: 9, Attributes: []any{"beta", 0.5}, Inputs: []any{[][]int32{{1, 2}}, [][]int32{{1}, {1}}, int32(5)}, Want: []any{[][]int32{{5}}}},
		{Operator: "Gemm", Version: 9, Inputs: []any{a, b}, Error: "2 inputs are connected, expected 3"},
		{Operator: "Gemm", Version: 11, Attributes: []any{"transB", 1}, Inputs: []any{a, b}, Want: []any{[][]float32{{1, 5}, {3, 11}}}},
		{Operator: "Gemm", Version: 13, Attributes: []any{"beta", 2.0}, Inputs: []any{a, b, float32(1)}, Want: []any{[][]float32{{5, 6}, {9, 10}}}},
		{Operator: "MatMulInteger", Version: 10, Inputs: []any{[][]uint8{{200, 2}}, [][]int8{{1}, {-3}}}, Want: []any{[][]int32{{194}}}},
		{Operator: "MatMulInteger", Version: 10, Inputs: []any{[][]uint8{{200, 2}}, [][]int8{{1}, {-3}}, uint8(2), []int8{1}}, Want: []any{[][]int32{{0}}}},
		{Operator: "MatMulInteger", Version: 10, Inputs: []any{[][]uint8{{5, 2}, {5, 2}}, [][]uint8{{1}, {1}}, []uint8{1, 2}}, Want: []any{[][]int32{{5}, {3}}}, Static: true},
	} {
		s.Check(c)
	}
}
