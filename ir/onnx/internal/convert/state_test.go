package convert_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// adding is a model that adds its tokens to its past: present = past + input_ids.
func adding(past, present *proto.ValueInfo) *proto.Model {
	return onnxtest.Model(13, &proto.Graph{
		Name:    "g",
		Inputs:  []*proto.ValueInfo{onnxtest.Value("input_ids", ir.F32, "batch", 2), past},
		Nodes:   []*proto.Node{onnxtest.Node("Add", "input_ids "+past.Name, "sum"), onnxtest.Node("Relu", "sum", present.Name), onnxtest.Node("Relu", "sum", "logits")},
		Outputs: []*proto.ValueInfo{present, {Name: "logits"}},
	})
}

func TestModel_stateful(t *testing.T) {
	s := onnxtest.NewSuite(t, rules())
	s.Stateful = true
	past, present := onnxtest.Value("past_key_values.0.key", ir.F32, "batch", 2), &proto.ValueInfo{Name: "present.0.key"}
	m, err := s.Convert(t, adding(past, present))
	require.NoError(t, err)
	assert.Equal(t, []string{"input_ids", "beam_idx"}, []string{m.Parameters[0].Name, m.Parameters[1].Name})
	require.Len(t, m.Results, 1)
	require.Len(t, m.Sinks, 1)
	assert.Equal(t, "past_key_values.0.keypresent.0.key", ir.AttributesOf(m.Sinks[0]).String("variable_id", ""))
	outputs := s.InferSteps(t, m, []any{[][]float32{{1, 2}}, []int32{0}}, []any{[][]float32{{10, 20}, {30, 40}}, []int32{0, 0}})
	assert.Equal(t, []float32{11, 22, 31, 42}, ir.Data[float32](outputs[0]))

	// Texts along axis 1, as its name says.
	m, err = s.Convert(t, adding(onnxtest.Value("past_0", ir.F32, 2, "batch", 2), &proto.ValueInfo{Name: "present_0"}))
	require.NoError(t, err)
	outputs = s.InferSteps(t, m, []any{[][]float32{{1, 2}, {3, 4}}, []int32{0, 0}}, []any{[][]float32{{10, 20}}, []int32{1}})
	assert.Equal(t, []float32{13, 24, 13, 24}, ir.Data[float32](outputs[0]))

	// A batch of one has no order.
	m, err = s.Convert(t, adding(onnxtest.Value("past_0", ir.F32, 1, 2), &proto.ValueInfo{Name: "present_0"}))
	require.NoError(t, err)
	require.Len(t, m.Parameters, 1)
	outputs = s.InferSteps(t, m, []any{[][]float32{{1, 2}}}, []any{[][]float32{{10, 20}}})
	assert.Equal(t, []float32{11, 22}, ir.Data[float32](outputs[0]))
}

func TestModel_notStateful(t *testing.T) {
	s := onnxtest.NewSuite(t, rules())
	s.Stateful = true
	present := &proto.ValueInfo{Name: "present"}
	for want, past := range map[string]*proto.ValueInfo{
		"no input and output are a state of the past": onnxtest.Value("old", ir.F32, "batch", 2),
		"must have axes":                   onnxtest.Value("past", ir.F32),
		`input "past": it has no type`:     {Name: "past"},
		`variable "pastpresent" has [1,1]`: onnxtest.Value("past", ir.F32, 1, 1),
	} {
		_, err := s.Convert(t, adding(past, present))
		assert.ErrorContains(t, err, want)
	}
	m := adding(onnxtest.Value("past", ir.F32, "batch", 2), present)
	m.Graph.Inputs = append(m.Graph.Inputs, onnxtest.Value("beam_idx", ir.I32, "batch"))
	_, err := s.Convert(t, m)
	assert.ErrorContains(t, err, "the model has an input beam_idx")
}
