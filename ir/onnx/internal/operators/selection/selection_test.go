package selection_test

import (
	"testing"

	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/selection"
)

func TestRules(t *testing.T) {
	s := onnxtest.NewSuite(t, selection.Rules())
	x := [][]float32{{1, 3, 3}, {5, 2, 2}}
	for _, c := range []onnxtest.Case{
		{Operator: "ArgMax", Version: 1, Inputs: []any{x}, Want: []any{[][]int64{{1, 0, 0}}}},
		{Operator: "ArgMax", Version: 11, Attributes: []any{"axis", -1, "keepdims", 0}, Inputs: []any{x}, Want: []any{[]int64{1, 0}}},
		{Operator: "ArgMin", Version: 12, Attributes: []any{"axis", 1, "select_last_index", 1}, Inputs: []any{x}, Want: []any{[][]int64{{0}, {2}}}, Static: true},
		{Operator: "ArgMin", Version: 13, Attributes: []any{"axis", 2}, Inputs: []any{x}, Error: "axis"},
		{Operator: "TopK", Version: 1, Attributes: []any{"k", 2}, Inputs: []any{x}, Want: []any{[][]float32{{3, 3}, {5, 2}}, [][]int64{{1, 2}, {0, 1}}}},
		{Operator: "TopK", Version: 1, Inputs: []any{x}, Want: []any{nil, nil}, Error: "attribute k is missing"},
		{Operator: "TopK", Version: 10, Attributes: []any{"axis", 0}, Inputs: []any{x, []int64{1}}, Want: []any{[][]float32{{5, 3, 3}}, [][]int64{{1, 0, 0}}}},
		{Operator: "TopK", Version: 11, Attributes: []any{"largest", 0}, Inputs: []any{x, []int64{2}}, Want: []any{[][]float32{{1, 3}, {2, 2}}, [][]int64{{0, 1}, {1, 2}}}},
		{Operator: "CumSum", Version: 11, Inputs: []any{x, int32(1)}, Want: []any{[][]float32{{1, 4, 7}, {5, 7, 9}}}},
		{Operator: "CumSum", Version: 14, Attributes: []any{"exclusive", 1, "reverse", 1}, Inputs: []any{x, []int64{-1}}, Want: []any{[][]float32{{6, 3, 0}, {4, 2, 0}}}},
		{Operator: "NonZero", Version: 9, Inputs: []any{[][]bool{{true, false}, {true, true}}}, Want: []any{[][]int64{{0, 1, 1}, {0, 0, 1}}}},
		{Operator: "NonZero", Version: 13, Inputs: []any{int64(5)}, Want: []any{[][]int64{{0}}}, Static: true},
		{Operator: "Range", Version: 11, Inputs: []any{int64(1), int64(6), int64(2)}, Want: []any{[]int64{1, 3, 5}}},
		{Operator: "Range", Version: 27, Inputs: []any{float32(1), float32(0), float32(-0.5)}, Want: []any{[]float32{1, 0.5}}},
		{Operator: "Range", Domain: "com.microsoft", Version: 1, Inputs: []any{int32(1), int32(4)}, Want: []any{[]int32{1, 2, 3}}},
	} {
		s.Check(c)
	}
}
