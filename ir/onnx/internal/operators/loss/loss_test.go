package loss_test

import (
	"testing"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/loss"
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
	s := onnxtest.NewSuite(t, loss.Rules())
	logs := tensor([]float32{-1, -2, -3, -4, -5, -6}, 3, 2)
	weights := []float32{1, 3}
	ignore := []any{"ignore_index", -7}
	with := func(attributes []any, kind string) []any { return append([]any{"reduction", kind}, attributes...) }
	for _, c := range []onnxtest.Case{
		{Operator: "NegativeLogLikelihoodLoss", Version: 12, Inputs: []any{logs, []int64{0, 1, 0}}, Want: []any{float32(10. / 3)}},
		{Operator: "NegativeLogLikelihoodLoss", Version: 13, Attributes: with(nil, "sum"), Inputs: []any{logs, []int32{0, 1, 0}}, Want: []any{float32(10)}},
		{Operator: "NegativeLogLikelihoodLoss", Version: 22, Attributes: with(nil, "none"), Inputs: []any{logs, []int64{0, 1, 0}}, Want: []any{[]float32{1, 4, 5}}},
		{Operator: "NegativeLogLikelihoodLoss", Version: 22, Inputs: []any{logs, []int64{0, 1, 0}, weights}, Want: []any{float32(18. / 5)}},
		{Operator: "NegativeLogLikelihoodLoss", Version: 22, Attributes: ignore, Inputs: []any{logs, []int64{-7, 1, 0}}, Want: []any{float32(9. / 2)}},
		{Operator: "NegativeLogLikelihoodLoss", Version: 22, Attributes: ignore, Inputs: []any{logs, []int64{0, 1, -7}, weights}, Want: []any{float32(13. / 4)}},
		{Operator: "NegativeLogLikelihoodLoss", Version: 22, Attributes: with(ignore, "none"), Inputs: []any{logs, []int64{0, 1, -7}, weights}, Want: []any{[]float32{1, 12, 0}}},
		{Operator: "NegativeLogLikelihoodLoss", Version: 22, Attributes: with(nil, "none"), Inputs: []any{tensor([]float64{-1, -2, -3, -4}, 1, 2, 2), tensor([]int64{1, 0}, 1, 2)},
			Want: []any{tensor([]float64{3, 2}, 1, 2)}},
		{Operator: "NegativeLogLikelihoodLoss", Version: 22, Inputs: []any{logs, []int64{0, 2, 0}}, Error: "index 2 at position [1 0] is outside"},
		{Operator: "NegativeLogLikelihoodLoss", Version: 22, Attributes: with(nil, "max"), Inputs: []any{logs, []int64{0, 1, 0}}, Error: "attribute reduction"},

		{Operator: "SoftmaxCrossEntropyLoss", Version: 12, MaxRel: 1e-6, Inputs: []any{logs, []int64{0, 1, 0}},
			Want: []any{float32((0.3132617*2 + 1.3132617) / 3), tensor([]float32{-0.3132617, -1.3132617, -0.3132617, -1.3132617, -0.3132617, -1.3132617}, 3, 2)}},
		{Operator: "SoftmaxCrossEntropyLoss", Version: 13, MaxRel: 1e-6, Attributes: with(ignore, "sum"), Inputs: []any{logs, []int64{0, 1, -7}, weights},
			Want: []any{float32(0.3132617 + 3*1.3132617)}},
	} {
		s.Check(c)
	}
}
