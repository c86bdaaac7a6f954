package blocks_test

import (
	"testing"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/blocks"
)

// tensor returns a tensor of f32.
func tensor(shape []int, data ...float32) *ir.Tensor {
	t, err := ir.TensorFrom(data, shape...)
	if err != nil {
		panic(err)
	}
	return t
}

func TestRules(t *testing.T) {
	s := onnxtest.NewSuite(t, blocks.Rules())
	square := tensor([]int{1, 2, 2, 2}, 0, 1, 2, 3, 4, 5, 6, 7)
	for _, c := range []onnxtest.Case{
		{Operator: "CenterCropPad", Version: 18, Inputs: []any{[][]float32{{1, 2, 3, 4}, {5, 6, 7, 8}}, []int64{3, 1}}, Want: []any{[][]float32{{2}, {6}, {0}}}},
		{Operator: "CenterCropPad", Version: 18, Attributes: []any{"axes", []int{-1}}, Inputs: []any{[][]float32{{1, 2}}, []int64{5}}, Want: []any{[][]float32{{0, 1, 2, 0, 0}}}},
		{Operator: "CenterCropPad", Version: 18, Attributes: []any{"axes", []int{2}}, Inputs: []any{[][]float32{{1, 2}}, []int64{5}}, Error: "2"},
		{Operator: "SpaceToDepth", Version: 1, Attributes: []any{"blocksize", 2}, Inputs: []any{square}, Want: []any{tensor([]int{1, 8, 1, 1}, 0, 4, 1, 5, 2, 6, 3, 7)}},
		{Operator: "SpaceToDepth", Version: 28, Attributes: []any{"blocksize", 2, "mode", "CRD"}, Inputs: []any{square}, Want: []any{tensor([]int{1, 8, 1, 1}, 0, 1, 2, 3, 4, 5, 6, 7)}},
		{Operator: "SpaceToDepth", Version: 13, Inputs: []any{square}, Error: "attribute blocksize is missing"},
		{Operator: "UnfoldTensor", Domain: "com.microsoft", Version: 1, Attributes: []any{"dim", 0, "size", 2, "step", 2}, Inputs: []any{[][]float32{{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 0}}},
			Want: []any{[][][]float32{{{1, 3}, {2, 4}}, {{5, 7}, {6, 8}}}}, Static: true},
		{Operator: "UnfoldTensor", Domain: "com.microsoft", Version: 1, Attributes: []any{"size", 0}, Inputs: []any{[]float32{1}}, Error: "attributes size and step are 0 and 1"},
	} {
		s.Check(c)
	}
}

func TestMaxUnpool(t *testing.T) {
	s := onnxtest.NewSuite(t, blocks.Rules())
	x := tensor([]int{1, 1, 2}, 5, 7)
	indices, err := ir.TensorFrom([]int64{1, 2}, 1, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	twice, err := ir.TensorFrom([]int64{1, 1}, 1, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	window := []any{"kernel_shape", []int{2}, "strides", []int{2}}
	for _, c := range []onnxtest.Case{
		{Operator: "MaxUnpool", Version: 9, Attributes: window, Inputs: []any{x, indices}, Want: []any{tensor([]int{1, 1, 4}, 0, 5, 7, 0)}},
		{Operator: "MaxUnpool", Version: 11, Attributes: window, Inputs: []any{x, indices, []int64{1, 1, 6}}, Want: []any{tensor([]int{1, 1, 6}, 0, 5, 7, 0, 0, 0)}},
		{Operator: "MaxUnpool", Version: 22, Attributes: append(window, "pads", []int{0, 1}), Inputs: []any{x, indices}, Want: []any{tensor([]int{1, 1, 3}, 0, 5, 7)}},
		{Operator: "MaxUnpool", Version: 22, Attributes: window, Inputs: []any{tensor([]int{1, 1, 2}, 7, 7), twice}, Want: []any{tensor([]int{1, 1, 4}, 0, 7, 0, 0)}},
		{Operator: "MaxUnpool", Version: 22, Inputs: []any{x, indices}, Error: "attribute kernel_shape is missing"},
		{Operator: "MaxUnpool", Version: 22, Attributes: append(window, "pads", []int{0}), Inputs: []any{x, indices}, Error: "attribute pads has 1 numbers, expected 2"},
	} {
		s.Check(c)
	}
}

func TestCol2Im(t *testing.T) {
	s := onnxtest.NewSuite(t, blocks.Rules())
	flat := tensor([]int{1, 2, 3}, 1, 2, 3, 4, 5, 6) // 3 places of a window of 2
	axis := []any{"strides", []int{1}}
	for _, c := range []onnxtest.Case{
		{Operator: "Col2Im", Version: 18, Attributes: []any{"strides", []int{2, 2}}, Inputs: []any{tensor([]int{1, 2, 2}, 1, 2, 3, 4), []int64{1, 4}, []int64{1, 2}},
			Want: []any{tensor([]int{1, 1, 1, 4}, 1, 3, 2, 4)}},
		{Operator: "Col2Im", Version: 18, Attributes: axis, Inputs: []any{flat, []int64{4}, []int64{2}}, Want: []any{tensor([]int{1, 1, 4}, 1, 6, 8, 6)}},
		{Operator: "Col2Im", Version: 18, Attributes: append(axis, "pads", []int{1, 0}), Inputs: []any{flat, []int64{3}, []int64{2}}, Want: []any{tensor([]int{1, 1, 3}, 6, 8, 6)}},
		{Operator: "Col2Im", Version: 18, Attributes: []any{"dilations", []int{2}}, Inputs: []any{flat, []int64{5}, []int64{2}}, Want: []any{tensor([]int{1, 1, 5}, 1, 2, 7, 5, 6)}},
		{Operator: "Col2Im", Version: 18, Attributes: []any{"strides", []int{1, 1, 1}}, Inputs: []any{tensor([]int{2, 2, 1}, 1, 2, 3, 4), []int64{1, 1, 1}, []int64{1, 1, 1}},
			Want: []any{tensor([]int{2, 2, 1, 1, 1}, 1, 2, 3, 4)}},
		{Operator: "Col2Im", Version: 18, Inputs: []any{flat, []int64{}, []int64{}}, Error: "an image of 0 axes"},
	} {
		s.Check(c)
	}
}
