package attention_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/conformance"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/attention"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// growing is a model of a GroupQueryAttention of four heads for two heads of keys, whose past is a
// variable.
func growing(t *testing.T, s *onnxtest.Suite, attributes ...any) *ir.Model {
	past := func(name string) *proto.ValueInfo { return onnxtest.Value(name, ir.F32, "batch", 2, "past", 4) }
	rows := func(name string, size int) *proto.ValueInfo {
		return onnxtest.Value(name, ir.F32, "batch", "rows", size)
	}
	attributes = append(attributes, "num_heads", 4, "kv_num_heads", 2)
	node := onnxtest.Node("GroupQueryAttention", "q k v past_key past_value last total cos sin", "y present_key present_value", onnxtest.Attributes(attributes...)...)
	node.Domain = "com.microsoft"
	m := onnxtest.Model(17, &proto.Graph{
		Name: "g", Nodes: []*proto.Node{node},
		Inputs: []*proto.ValueInfo{
			rows("q", 16), rows("k", 8), rows("v", 8), past("past_key"), past("past_value"), onnxtest.Value("last", ir.I32, "batch"), onnxtest.Value("total", ir.I32),
		},
		Initializers: []*proto.Tensor{onnxtest.TensorOf("cos", wave(0, 8, 2)), onnxtest.TensorOf("sin", wave(1, 8, 2))},
		Outputs:      []*proto.ValueInfo{{Name: "y"}, {Name: "present_key"}, {Name: "present_value"}},
	})
	m.Imports = append(m.Imports, proto.Import{Domain: "com.microsoft", Version: 1})
	model, err := s.Convert(t, m)
	require.NoError(t, err)
	return model
}

// rowsOf returns the rows from start to before end of texts [batch, heads, rows, size], from a
// first text on, as an input.
func rowsOf(t *ir.Tensor, text, start, end int) *ir.Tensor {
	s := t.Shape()
	var data []float32
	for b := text; b < s[0]; b++ {
		for row := start; row < end; row++ {
			for h := range s[1] {
				for e := range s[3] {
					data = append(data, float32(at(t, b, h, row, e)))
				}
			}
		}
	}
	return tensor([]int{s[0] - text, end - start, s[1] * s[3]}, data)
}

// TestGroupQuery_stateful checks two texts of four and three rows, of which the second is padded in
// front: three rows in the first step, and one in the second.
func TestGroupQuery_stateful(t *testing.T) {
	s := onnxtest.NewSuite(t, attention.Rules())
	s.Stateful = true
	q, k, v := wave(0, 2, 4, 4, 4), wave(1, 2, 2, 4, 4), wave(2, 2, 2, 4, 4)
	order := []int32{0, 1}
	steps := func(text int, first int, last ...[]int32) [][]any {
		list := [][]any{
			{rowsOf(q, text, first, 3), rowsOf(k, text, first, 3), rowsOf(v, text, first, 3), last[0], int32(3 - first), order[text:]},
			{rowsOf(q, text, 3, 4), rowsOf(k, text, 3, 4), rowsOf(v, text, 3, 4), last[1], int32(4 - first), order[text:]},
		}
		if text == 1 {
			list[0][5], list[1][5] = order[:1], order[:1]
		}
		return list
	}
	both := steps(0, 0, []int32{2, 1}, []int32{3, 2})
	outputs := s.InferSteps(t, growing(t, s), both...)
	long := reference{query: rowOf(q, 3), key: k, value: v}
	want := long.with(func(b, _, _, j int) float64 { return keep(j >= b) })
	require.NoError(t, conformance.Compare(outputs[0], want, 1e-5))

	// A window of two keys, and one that is not causal.
	outputs = s.InferSteps(t, growing(t, s, "local_window_size", 2), both...)
	require.NoError(t, conformance.Compare(outputs[0], long.with(func(_, _, _, j int) float64 { return keep(j >= 2) }), 1e-5))
	outputs = s.InferSteps(t, growing(t, s, "causal", 0), both...)
	require.NoError(t, conformance.Compare(outputs[0], want, 1e-5))

	// Positions count from the first row of a text, not from that of the padding.
	outputs = s.InferSteps(t, growing(t, s, "do_rotary", 1), both...)
	alone := s.InferSteps(t, growing(t, s, "do_rotary", 1), steps(1, 1, []int32{1}, []int32{2})...)
	second, err := ir.TensorFrom(ir.Data[float32](outputs[0])[16:], 1, 1, 16)
	require.NoError(t, err)
	require.NoError(t, conformance.Compare(second, alone[0], 1e-5))
}
