package attention_test

import (
	"slices"
	"testing"

	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/attention"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/elementwise"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

func TestFlexAttention(t *testing.T) {
	s := onnxtest.NewSuite(t, slices.Concat(attention.Rules(), elementwise.Rules()))
	q, k, v := wave(0, 2, 4, 3, 4), wave(1, 2, 2, 3, 4), wave(2, 2, 2, 3, 5)
	r := reference{query: q, key: k, value: v, scale: 0.3}
	plain, _ := r.run()
	r.scale = 0.6
	doubled, _ := r.run()
	twice := make([]float32, plain.Len())
	for i := range twice {
		twice[i] = 2 * float32(plain.Values()(i))
	}
	double := &proto.Graph{
		Inputs: []*proto.ValueInfo{{Name: "x"}}, Outputs: []*proto.ValueInfo{{Name: "y0"}}, Nodes: []*proto.Node{onnxtest.Node("Add", "x x", "y0")},
	}
	for _, c := range []onnxtest.Case{
		{Attributes: []any{"scale", 0.3}, Want: []any{plain}},
		{Attributes: []any{"scale", 0.3, "score_mod", double}, Want: []any{doubled}},
		{Attributes: []any{"scale", 0.3, "prob_mod", double, "softmax_precision", 11}, Want: []any{tensor(plain.Shape(), twice)}},
		{Attributes: []any{"prob_mod", &proto.Graph{}}, Error: "attribute prob_mod: the graph has 0 inputs and 0 outputs, expected 1 and 1"},
	} {
		c.Operator, c.Domain, c.Version, c.Inputs, c.MaxRel = "FlexAttention", "ai.onnx.preview", 1, []any{q, k, v}, 1e-5
		s.Check(c)
	}
}
