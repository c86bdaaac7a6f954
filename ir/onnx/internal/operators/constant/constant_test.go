package constant_test

import (
	"testing"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/constant"
)

// tensor returns a tensor with the given shape.
func tensor(data any, shape ...int) *ir.Tensor {
	t, err := ir.TensorFrom(data, shape...)
	if err != nil {
		panic(err)
	}
	return t
}

func TestRules(t *testing.T) {
	s := onnxtest.NewSuite(t, constant.Rules())
	data := tensor([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	for _, c := range []onnxtest.Case{
		{Operator: "Constant", Version: 1, Attributes: []any{"value", data}, Want: []any{data}},
		{Operator: "Constant", Version: 13, Attributes: []any{"value_int", 7}, Want: []any{int64(7)}},
		{Operator: "Constant", Version: 13, Attributes: []any{"value_ints", []int{7, 8}}, Want: []any{[]int64{7, 8}}},
		{Operator: "Constant", Version: 13, Attributes: []any{"value_float", 0.5}, Want: []any{float32(0.5)}},
		{Operator: "Constant", Version: 13, Attributes: []any{"value_floats", []float64{1, 2}}, Want: []any{[]float32{1, 2}}},
		{Operator: "Constant", Version: 13, Attributes: []any{"value_string", "a"}, Want: []any{"a"}},
		{Operator: "Constant", Version: 13, Attributes: []any{"value_strings", []string{"a", "b"}}, Want: []any{[]string{"a", "b"}}},
		{Operator: "Constant", Version: 13, Error: "no attribute value, or one like it"},
		{Operator: "Constant", Version: 13, Attributes: []any{"value", 1}, Error: "attribute value is an integer, expected a tensor"},

		{Operator: "ConstantOfShape", Version: 9, Inputs: []any{[]int64{2, 3}}, Want: []any{tensor(make([]float32, 6), 2, 3)}},
		{Operator: "ConstantOfShape", Version: 9, Attributes: []any{"value", tensor([]int32{5}, 1)}, Inputs: []any{[]int64{0, 3}}, Want: []any{tensor([]int32{}, 0, 3)}},
		{Operator: "ConstantOfShape", Version: 9, Attributes: []any{"value", tensor([]int32{5}, 1)}, Inputs: []any{tensor([]int64{}, 0)}, Want: []any{int32(5)}},
		{Operator: "ConstantOfShape", Version: 9, Attributes: []any{"value", tensor([]int32{}, 0)}, Inputs: []any{[]int64{2}}, Error: "attribute value has 0 elements, expected 1"},
		{Operator: "ConstantOfShape", Version: 9, Attributes: []any{"value", []int{5}}, Inputs: []any{[]int64{2}}, Error: "expected a tensor"},
		{Operator: "ConstantOfShape", Version: 9, Attributes: []any{"value", tensor([]int32{5, 6}, 2)}, Inputs: []any{[]int64{2}}, Error: "attribute value has 2 elements, expected 1"},

		{Operator: "Identity", Version: 1, Inputs: []any{data}, Want: []any{data}},
		{Operator: "Size", Version: 1, Inputs: []any{data}, Want: []any{int64(6)}},
		{Operator: "Shape", Version: 1, Inputs: []any{data}, Want: []any{[]int64{2, 3}}},
		{Operator: "Shape", Version: 15, Attributes: []any{"start", 1}, Inputs: []any{data}, Want: []any{[]int64{3}}},
		{Operator: "Shape", Version: 15, Attributes: []any{"end", -1}, Inputs: []any{data}, Want: []any{[]int64{2}}},
		{Operator: "Shape", Version: 15, Attributes: []any{"start", -9, "end", 9}, Inputs: []any{data}, Want: []any{[]int64{2, 3}}},
		{Operator: "Shape", Version: 15, Attributes: []any{"start", 1, "end", 0}, Inputs: []any{data}, Want: []any{tensor([]int64{}, 0)}},
		{Operator: "Shape", Version: 15, Inputs: []any{float32(1)}, Want: []any{tensor([]int64{}, 0)}},
	} {
		s.Check(c)
	}
}
