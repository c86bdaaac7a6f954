package movement_test

import (
	"testing"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/movement"
)

// numbers returns a tensor of 0, 1, 2 and so on.
func numbers(shape ...int) *ir.Tensor {
	n := ir.Shape(shape).Elements()
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(i)
	}
	t, err := ir.TensorFrom(data, shape...)
	if err != nil {
		panic(err)
	}
	return t
}

func TestReshape(t *testing.T) {
	s := onnxtest.NewSuite(t, movement.Rules())
	data := numbers(2, 3, 4)
	for _, c := range []onnxtest.Case{
		{Operator: "Reshape", Version: 1, Attributes: []any{"shape", []int{0, -1}}, Inputs: []any{data}, Want: []any{numbers(2, 12)}},
		{Operator: "Reshape", Version: 1, Inputs: []any{data}, Error: "attribute shape is missing"},
		{Operator: "Reshape", Version: 5, Inputs: []any{data, []int64{-1, 0}}, Want: []any{numbers(8, 3)}},
		{Operator: "Reshape", Version: 14, Attributes: []any{"allowzero", 1}, Inputs: []any{numbers(0, 3), []int64{3, 0}}, Want: []any{numbers(3, 0)}},
		{Operator: "Flatten", Version: 1, Inputs: []any{data}, Want: []any{numbers(2, 12)}},
		{Operator: "Flatten", Version: 9, Attributes: []any{"axis", 0}, Inputs: []any{data}, Want: []any{numbers(1, 24)}},
		{Operator: "Flatten", Version: 13, Attributes: []any{"axis", 3}, Inputs: []any{data}, Want: []any{numbers(24, 1)}},
		{Operator: "Flatten", Version: 13, Attributes: []any{"axis", -1}, Inputs: []any{data}, Want: []any{numbers(6, 4)}},
		{Operator: "Flatten", Version: 13, Inputs: []any{numbers(0, 3)}, Want: []any{numbers(0, 3)}},
		{Operator: "Flatten", Version: 13, Attributes: []any{"axis", 4}, Inputs: []any{data}, Error: "attribute axis is 4, expected -3 to 3"},
		{Operator: "Squeeze", Version: 1, Attributes: []any{"axes", []int{0}}, Inputs: []any{numbers(1, 2, 1)}, Want: []any{numbers(2, 1)}},
		{Operator: "Squeeze", Version: 11, Inputs: []any{numbers(1, 2, 1)}, Want: []any{numbers(2)}},
		{Operator: "Squeeze", Version: 13, Inputs: []any{numbers(1, 2, 1), []int64{-1}}, Want: []any{numbers(1, 2)}},
		{Operator: "Unsqueeze", Version: 1, Attributes: []any{"axes", []int{0, 2}}, Inputs: []any{numbers(2)}, Want: []any{numbers(1, 2, 1)}},
		{Operator: "Unsqueeze", Version: 13, Inputs: []any{numbers(2), []int64{-1}}, Want: []any{numbers(2, 1)}},
		{Operator: "Unsqueeze", Version: 13, Inputs: []any{numbers(2), make([]int64, 0)}, Constants: []int{1}, Want: []any{numbers(2)}},
		{Operator: "Unsqueeze", Version: 13, Inputs: []any{numbers(2)}, Error: "the axes are missing"},
		{Operator: "Unsqueeze", Version: 13, Inputs: []any{numbers(2), []int64{0, -3}}, Constants: []int{1}, Error: "axes [0 -3] name one axis twice"},
	} {
		s.Check(c)
	}
}

func TestJoin(t *testing.T) {
	s := onnxtest.NewSuite(t, movement.Rules())
	a := [][]float32{{1, 2}, {3, 4}}
	for _, c := range []onnxtest.Case{
		{Operator: "Concat", Version: 1, Inputs: []any{a, a}, Want: []any{[][]float32{{1, 2, 1, 2}, {3, 4, 3, 4}}}},
		{Operator: "Concat", Version: 13, Attributes: []any{"axis", -2}, Inputs: []any{a, a}, Want: []any{[][]float32{{1, 2}, {3, 4}, {1, 2}, {3, 4}}}, Static: true},
		{Operator: "Concat", Version: 4, Inputs: []any{a}, Error: "attribute axis is missing"},
		{Operator: "Concat", Version: 4, Attributes: []any{"axis", 0}, Inputs: []any{a, nil}, Error: "input 1 is absent"},
		{Operator: "DepthToSpace", Version: 1, Attributes: []any{"blocksize", 2}, Inputs: []any{numbers(1, 4, 1, 1)}, Want: []any{numbers(1, 1, 2, 2)}},
		{Operator: "DepthToSpace", Version: 11, Attributes: []any{"blocksize", 2, "mode", "CRD"}, Inputs: []any{numbers(1, 4, 1, 1)}, Want: []any{numbers(1, 1, 2, 2)}},
		{Operator: "DepthToSpace", Version: 11, Inputs: []any{numbers(1, 4, 1, 1)}, Error: "attribute blocksize is missing"},
		{Operator: "Expand", Version: 8, Inputs: []any{[][]float32{{1}, {2}}, []int64{2, 1, 2}}, Want: []any{[][][]float32{{{1, 1}, {2, 2}}, {{1, 1}, {2, 2}}}}},
		{Operator: "Expand", Version: 13, Inputs: []any{a, []int64{1}}, Want: []any{a}},
		{Operator: "ReverseSequence", Version: 10, Inputs: []any{a, []int64{2, 1}}, Want: []any{[][]float32{{3, 2}, {1, 4}}}},
		{Operator: "ReverseSequence", Version: 10, Attributes: []any{"batch_axis", 0, "time_axis", 1}, Inputs: []any{a, []int64{2, 1}}, Want: []any{[][]float32{{2, 1}, {3, 4}}}},
		{Operator: "Tile", Version: 6, Inputs: []any{a, []int64{1, 2}}, Want: []any{[][]float32{{1, 2, 1, 2}, {3, 4, 3, 4}}}},
		{Operator: "Tile", Version: 1, Inputs: []any{a, []int64{2}, []int64{1}}, Constants: []int{2}, Static: true, Want: []any{[][]float32{{1, 2, 1, 2}, {3, 4, 3, 4}}}},
		{Operator: "Tile", Version: 1, Inputs: []any{a, []int64{2}, []int64{1, 0}}, Constants: []int{2}, Error: "the axis has 2 elements, expected 1"},
		{Operator: "Tile", Version: 1, Inputs: []any{a, []int64{2}, []int64{2}}, Constants: []int{2}, Error: "axis 2 of rank 2 is out of range"},
		{Operator: "Transpose", Version: 1, Inputs: []any{a}, Want: []any{[][]float32{{1, 3}, {2, 4}}}},
		{Operator: "Transpose", Version: 13, Attributes: []any{"perm", []int{1, 0}}, Inputs: []any{a}, Want: []any{[][]float32{{1, 3}, {2, 4}}}},
		{Operator: "Transpose", Version: 13, Attributes: []any{"perm", []int{0, 0}}, Inputs: []any{a}, Error: "input_order[1] is 0"},
	} {
		s.Check(c)
	}
}

func TestSplit(t *testing.T) {
	s := onnxtest.NewSuite(t, movement.Rules())
	data := []float32{0, 1, 2, 3, 4}
	for _, c := range []onnxtest.Case{
		{Operator: "Split", Version: 1, Inputs: []any{data, []int64{2, 3}}, Constants: []int{1}, Want: []any{data[:2], data[2:]}},
		{Operator: "Split", Version: 1, Attributes: []any{"split", []int{1, 4}}, Inputs: []any{data}, Want: []any{data[:1], data[1:]}},
		{Operator: "Split", Version: 2, Attributes: []any{"axis", -1}, Inputs: []any{data[:4]}, Want: []any{data[:2], data[2:4]}},
		{Operator: "Split", Version: 13, Inputs: []any{data, []int64{0, 5}}, Constants: []int{1}, Want: []any{data[:0], data}},
		{Operator: "Split", Version: 18, Attributes: []any{"num_outputs", 3}, Inputs: []any{data}, Want: []any{data[:2], data[2:4], data[4:]}},
		{Operator: "Split", Version: 18, Attributes: []any{"num_outputs", 4}, Inputs: []any{data}, Want: []any{data[:2], data[2:4], data[4:], data[:0]}},
		{Operator: "Split", Version: 18, Attributes: []any{"num_outputs", 1 << 30}, Inputs: []any{data}, Error: "attribute num_outputs is 1073741824, the node has 1 outputs"},
		{Operator: "Split", Version: 13, Inputs: []any{data, []int64{1, 4}}, Constants: []int{1}, Error: "split has 2 lengths, the node has 1 outputs"},
		{Operator: "Split", Version: 13, Inputs: []any{data}, Attributes: []any{"axis", 2}, Error: "axis 2 of rank 1 is out of range"},
		{Operator: "Split", Version: 13, Inputs: []any{float32(1)}, Error: "axis 0 of rank 0 is out of range"},
	} {
		s.Check(c)
	}
}

func TestSlice(t *testing.T) {
	s := onnxtest.NewSuite(t, movement.Rules())
	data := [][]float32{{1, 2, 3}, {4, 5, 6}}
	for _, c := range []onnxtest.Case{
		{Operator: "Slice", Version: 1, Attributes: []any{"starts", []int{0, 1}, "ends", []int{1, 1000}}, Inputs: []any{data}, Want: []any{[][]float32{{2, 3}}}},
		{Operator: "Slice", Version: 1, Attributes: []any{"starts", []int{-2}, "ends", []int{-1}, "axes", []int{1}}, Inputs: []any{data}, Want: []any{[][]float32{{2}, {5}}}},
		{Operator: "Slice", Version: 1, Attributes: []any{"starts", []int{0}}, Inputs: []any{data}, Error: "attribute ends is missing"},
		{Operator: "Slice", Version: 10, Inputs: []any{data, []int64{1}, []int64{2}}, Want: []any{[][]float32{{4, 5, 6}}}},
		{Operator: "Slice", Version: 11, Inputs: []any{data, []int32{1}, []int32{3}, []int32{-1}}, Want: []any{[][]float32{{2, 3}, {5, 6}}}},
		{Operator: "Slice", Version: 13, Inputs: []any{data, []int64{-1}, []int64{-1 << 63}, []int64{1}, []int64{-2}}, Want: []any{[][]float32{{3, 1}, {6, 4}}}},
		{Operator: "Slice", Version: 13, Inputs: []any{data, []int64{0, 0}, []int64{1, 9}, nil, []int64{1, 2}}, Want: []any{[][]float32{{1, 3}}}},
	} {
		s.Check(c)
	}
}

func TestPad(t *testing.T) {
	s := onnxtest.NewSuite(t, movement.Rules())
	data := [][]float32{{1, 2, 3}}
	for _, c := range []onnxtest.Case{
		{Operator: "Pad", Version: 1, Attributes: []any{"paddings", []int{0, 1, 1, 0}, "value", 9.0}, Inputs: []any{data}, Want: []any{[][]float32{{9, 1, 2, 3}, {9, 9, 9, 9}}}},
		{Operator: "Pad", Version: 2, Attributes: []any{"pads", []int{0, 1, 0, 1}, "mode", "reflect"}, Inputs: []any{data}, Want: []any{[][]float32{{2, 1, 2, 3, 2}}}},
		{Operator: "Pad", Version: 2, Attributes: []any{"pads", []int{0, 1, 0}}, Inputs: []any{data}, Error: "attribute pads has 3 numbers"},
		{Operator: "Pad", Version: 2, Inputs: []any{data}, Error: "attribute pads is missing"},
		{Operator: "Pad", Version: 11, Inputs: []any{data, []int64{0, 1, 0, -1}, float32(7)}, Want: []any{[][]float32{{7, 1, 2}}}},
		{Operator: "Pad", Version: 13, Inputs: []any{data, []int64{0, 0, 0, 1}}, Want: []any{[][]float32{{1, 2, 3, 0}}}},
		{Operator: "Pad", Version: 13, Inputs: []any{[]string{"a"}, []int64{0, 1}}, Want: []any{[]string{"a", ""}}},
		{Operator: "Pad", Version: 18, Attributes: []any{"mode", "edge"}, Inputs: []any{data, []int64{1, 2}, nil, []int64{-1}}, Want: []any{[][]float32{{1, 1, 2, 3, 3, 3}}}},
		{Operator: "Pad", Version: 18, Inputs: []any{data, []int64{1, 2}, []float32{5}, []int32{1}}, Want: []any{[][]float32{{5, 1, 2, 3, 5, 5}}}},
		{Operator: "Pad", Version: 19, Attributes: []any{"mode", "wrap"}, Static: true, Inputs: []any{data, []int64{0, 2, 0, 1}}, Want: []any{[][]float32{{2, 3, 1, 2, 3, 1}}}},
		{Operator: "Pad", Version: 19, Attributes: []any{"mode", "wrap"}, Static: true, Inputs: []any{data, []int64{0, 4, 0, -1}}, Want: []any{[][]float32{{3, 1, 2, 3, 1, 2}}}},
		{Operator: "Pad", Version: 18, Attributes: []any{"mode", "other"}, Inputs: []any{data, []int64{0, 0, 0, 0}}, Error: `attribute mode is "other"`},
	} {
		s.Check(c)
	}
}
