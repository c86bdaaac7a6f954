package movement_test

import (
	"testing"

	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/movement"
)

func TestMicrosoft(t *testing.T) {
	s := onnxtest.NewSuite(t, movement.Rules())
	data := [][]float32{{1, 2}}
	for _, c := range []onnxtest.Case{
		{Operator: "ExpandDims", Inputs: []any{data, int32(-1)}, Constants: []int{1}, Want: []any{[][][]float32{{{1}, {2}}}}},
		{Operator: "ExpandDims", Inputs: []any{data, []int32{0}}, Want: []any{[][][]float32{{{1, 2}}}}},
		{Operator: "Pad", Inputs: []any{data, []int64{0, 1, 1, 0}, []float32{7}}, Want: []any{[][]float32{{7, 1, 2}, {7, 7, 7}}}},
		{Operator: "Pad", Attributes: []any{"mode", "edge"}, Inputs: []any{data, [][]int64{{0, 0, 0, 1}}}, Want: []any{[][]float32{{1, 2, 2}}}},
		{Operator: "SampleOp", Inputs: []any{data}, Want: []any{data}},
		{Operator: "Pad", Attributes: []any{"mode", "other"}, Inputs: []any{data, []int64{0, 0, 0, 0}}, Error: `attribute mode is "other"`},
	} {
		c.Domain, c.Version = "com.microsoft", 1
		s.Check(c)
	}
}
