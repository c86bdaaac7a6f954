package pattern_test

import (
	"testing"

	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/pattern"
)

func TestRules(t *testing.T) {
	s := onnxtest.NewSuite(t, pattern.Rules())
	x := [][]float32{{1, 2, 3}, {4, 5, 6}}
	for _, c := range []onnxtest.Case{
		{Operator: "Compress", Version: 9, Inputs: []any{x, []bool{false, true, false, false, true}}, Want: []any{[]float32{2, 5}}},
		{Operator: "Compress", Version: 11, Attributes: []any{"axis", -1}, Inputs: []any{x, []bool{true, false, true}}, Want: []any{[][]float32{{1, 3}, {4, 6}}}},
		{Operator: "EyeLike", Version: 9, Inputs: []any{x}, Want: []any{[][]float32{{1, 0, 0}, {0, 1, 0}}}},
		{Operator: "EyeLike", Version: 22, Attributes: []any{"k", -1, "dtype", 7}, Inputs: []any{x}, Want: []any{[][]int64{{0, 0, 0}, {1, 0, 0}}}},
		{Operator: "OneHot", Version: 9, Inputs: []any{[]float32{1, -1}, []float32{3}, []int32{5, 7}}, Want: []any{[][]int32{{5, 7, 5}, {5, 5, 7}}}},
		{Operator: "OneHot", Version: 11, Attributes: []any{"axis", 0}, Inputs: []any{[]int64{1, 3}, int64(2), []float32{0, 1}}, Want: []any{[][]float32{{0, 0}, {1, 0}}}},
		{Operator: "Trilu", Version: 14, Inputs: []any{x}, Want: []any{[][]float32{{1, 2, 3}, {0, 5, 6}}}},
		{Operator: "Trilu", Version: 14, Attributes: []any{"upper", 0}, Inputs: []any{x, int64(1)}, Want: []any{[][]float32{{1, 2, 0}, {4, 5, 6}}}},
		{Operator: "Trilu", Version: 14, Inputs: []any{[][]bool{{true}, {true}}, int64(0)}, Want: []any{[][]bool{{true}, {false}}}},
		{Operator: "Trilu", Domain: "com.microsoft", Version: 1, Inputs: []any{x, int64(2)}, Want: []any{[][]float32{{0, 0, 3}, {0, 0, 0}}}},
		{Operator: "Unique", Version: 11, Inputs: []any{[]float32{3, 1, 3}}, Want: []any{[]float32{1, 3}, []int64{1, 0}, []int64{1, 0, 1}, []int64{1, 2}}},
		{Operator: "Unique", Version: 28, Attributes: []any{"sorted", 0, "axis", 0}, Inputs: []any{[][]int64{{2, 2}, {1, 1}, {2, 2}}},
			Want: []any{[][]int64{{2, 2}, {1, 1}}, nil, []int64{0, 1, 0}, nil}},
		{Operator: "Unique", Domain: "com.microsoft", Version: 1, Inputs: []any{[]float32{3, 1, 3}}, Want: []any{[]float32{3, 1}, []int64{0, 1, 0}, []int64{2, 1}}},
		{Operator: "Unique", Version: 11, Attributes: []any{"axis", 1}, Inputs: []any{[]float32{3}}, Error: "axis"},
		{Operator: "EyeLike", Version: 9, Attributes: []any{"dtype", 99}, Inputs: []any{x}, Error: "element type 99"},
	} {
		s.Check(c)
	}
}
