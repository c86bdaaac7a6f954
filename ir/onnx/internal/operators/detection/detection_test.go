package detection_test

import (
	"testing"

	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/detection"
)

func TestNonMaxSuppression(t *testing.T) {
	s := onnxtest.NewSuite(t, detection.Rules())
	// The second box is half of the first one, and the third is apart; its score is negative.
	boxes := [][][]float32{{{0, 0, 1, 1}, {0, 0, 1, 0.5}, {3, 3, 2, 2}}}
	scores := [][][]float32{{{0.5, 0.75, -1}}}
	first, second, third := []int64{0, 0, 0}, []int64{0, 0, 1}, []int64{0, 0, 2}
	centers := [][][]float32{{{0.5, 0.5, 1, 1}, {0.25, 0.5, 0.5, 1}, {2.5, 2.5, 1, 1}}}
	for _, c := range []onnxtest.Case{
		{Operator: "NonMaxSuppression", Version: 10, Inputs: []any{boxes, scores, []int64{5}, []float32{0.5}}, Want: []any{[][]int64{second, first, third}}},
		{Operator: "NonMaxSuppression", Version: 11, Inputs: []any{boxes, scores, int64(5), float32(0.49), float32(-2)}, Want: []any{[][]int64{second, third}}},
		{Operator: "NonMaxSuppression", Version: 11, Inputs: []any{boxes, scores, []int64{5}}, Want: []any{[][]int64{second, third}}},
		{Operator: "NonMaxSuppression", Version: 11, Inputs: []any{boxes, scores, []int64{5}, nil, []float32{0}}, Want: []any{[][]int64{second}}},
		{Operator: "NonMaxSuppression", Version: 11, Inputs: []any{boxes, scores, []int64{1}, []float32{1}}, Want: []any{[][]int64{second}}},
		{Operator: "NonMaxSuppression", Version: 11, Attributes: []any{"center_point_box", 1}, Inputs: []any{centers, scores, []int64{5}, []float32{0.5}}, Want: []any{[][]int64{second, first, third}}},
		{Operator: "NonMaxSuppression", Version: 11, Inputs: []any{boxes, [][]float32{{1}}}, Error: "scores"},
	} {
		s.Check(c)
	}
}
