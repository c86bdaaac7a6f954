package onnx_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
	"github.com/vinoir/vinoir/ir/validate"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/ops/onnxextension"
	"github.com/vinoir/vinoir/plugin"
)

// found returns the findings of a report as texts.
func found(report *onnx.Report) []string {
	texts := []string{}
	for i := range report.Findings {
		texts = append(texts, report.Findings[i].String())
	}
	return texts
}

// named returns a node with a name.
func named(name string, node *proto.Node) *proto.Node {
	node.Name = name
	return node
}

// good returns a model about which there is nothing to say.
func good() *proto.Model {
	m := onnxtest.Model(13, &proto.Graph{
		Name: "g", Nodes: []*proto.Node{onnxtest.Node("Relu", "x", "y")},
		Inputs: []*proto.ValueInfo{onnxtest.Value("x", ir.F32, 2, "n")}, Outputs: []*proto.ValueInfo{onnxtest.Value("y", ir.F32, 2, "n")},
	})
	m.IRVersion = 8
	return m
}

func TestCheck(t *testing.T) {
	w, err := ir.TensorFrom([]float32{1, 2, 3}, 3, 1)
	require.NoError(t, err)
	for _, c := range []struct {
		name   string
		change func(m *proto.Model)
		want   []string
	}{
		{"nothing", func(*proto.Model) {}, []string{}},
		{"a stale shape", func(m *proto.Model) { m.Graph.Outputs[0].Type = onnxtest.TensorType(ir.F32, 2, 3, 4) },
			[]string{`0: warning: layer 1 "y" (Relu, opset1): value "y" is [2,3,4] in the file, inferred [2,?] [stale-shape]`}},
		{"a stale type", func(m *proto.Model) { m.Graph.Outputs[0].Type = onnxtest.TensorType(ir.F64, 2, "n") },
			[]string{`0: warning: layer 1 "y" (Relu, opset1): value "y" is f64 in the file, inferred f32 [stale-type]`}},
		{"a vague shape", func(m *proto.Model) { m.Graph.Outputs[0].Type = onnxtest.TensorType(ir.F32, "m", "n") },
			[]string{`0: note: layer 1 "y" (Relu, opset1): value "y" is [?,?] in the file, inferred [2,?] [vague-shape]`}},
		{"names", func(m *proto.Model) { m.Graph.Nodes[0].Name = "node" },
			[]string{`0: note: the layers of 1 of 1 named node have names of values, such as "y" of node "node"; the name of the node is in their rt_info, as fused_names [onnx-names]`}},
		{"the same name", func(m *proto.Model) { m.Graph.Nodes[0].Name = "y" }, []string{}},
		{"an unneeded node", func(m *proto.Model) { m.Graph.Nodes = append(m.Graph.Nodes, onnxtest.Node("Sqrt", "x", "z")) },
			[]string{`0: note: 1 node that no output needs: not in the model; the first is that of "z" [onnx-unneeded]`}},
		{"a default", func(m *proto.Model) {
			m.Graph.Inputs = append(m.Graph.Inputs, onnxtest.Value("w", ir.F32, 3, 1))
			m.Graph.Initializers = []*proto.Tensor{onnxtest.TensorOf("w", w)}
		}, []string{`0: note: 1 input with a default: constant in the model; the first is "w" [onnx-unneeded]`}},
		{"several layers", func(m *proto.Model) {
			m.Graph.Nodes[0] = onnxtest.Node("ThresholdedRelu", "x", "y")
			m.Graph.Nodes = append(m.Graph.Nodes, onnxtest.Node("ThresholdedRelu", "y", "z"))
			m.Graph.Outputs = append(m.Graph.Outputs, onnxtest.Value("z", ir.F32, 2, "n"))
		}, []string{`0: note: 2 nodes of ThresholdedRelu-10 became several layers; that of "y" became 2: Greater, Select [onnx-several]`}},
		{"the checker", func(m *proto.Model) { m.Graph.Name = "" }, []string{`0: warning: the graph has no name [onnx-field]`}},
		{"operators", func(m *proto.Model) {
			m.Graph.Nodes = append(m.Graph.Nodes, onnxtest.Node("Foo", "x", "z"))
			m.Graph.Outputs = append(m.Graph.Outputs, onnxtest.Value("z", ir.F32, 2, "n"))
		}, []string{
			`0: warning: the node of "z" (Foo): there is no such operator in version 13 [onnx-node]`,
			`0: error: an operator is not supported: Foo of version 13 (1 node, first the node of "z": no such operator is known) [onnx-operator]`,
		}},
		{"a node", func(m *proto.Model) {
			m.Graph.Nodes[0] = named("cat", onnxtest.Node("Concat", "x x", "y", onnxtest.Attribute("axis", 5)))
		},
			[]string{`0: error: node "cat" (Concat-13): layer 1 "Concat_1" (Concat, opset1): axis 5 is outside [-2,1] for rank 2 [onnx-conversion]`}},
		{"an input", func(m *proto.Model) {
			m.Graph.Inputs[0].Type = onnxtest.TensorType(ir.F32, make([]any, 0)...)
			m.Graph.Inputs[0].Name = ""
		},
			[]string{
				`0: warning: an input has no name [onnx-field]`,
				`0: warning: the node of "y" (Relu): input 0 is "x", which nothing defines [onnx-graph]`,
				`0: error: input "": it has no name [onnx-conversion]`,
			}},
	} {
		m := good()
		c.change(m)
		report, err := onnx.Check(t.Context(), onnxtest.Encode(m), options(t))
		require.NoError(t, err, c.name)
		assert.Equal(t, c.want, found(report), c.name)
		read, err := onnx.Read(t.Context(), onnxtest.Encode(m), options(t))
		assert.Equal(t, err == nil, report.Model != nil, c.name)
		if err == nil {
			assert.Len(t, report.Model.Layers, len(read.Layers), "a report does not change the model")
		}
	}
}

// TestCheck_own tests a model with a layer type of vinoir.
func TestCheck_own(t *testing.T) {
	labels := filepath.Join("..", "..", "testdata", "onnx", "nets", "labels", "model.onnx")
	report, err := onnx.CheckFile(t.Context(), labels, options(t))
	require.NoError(t, err)
	require.Nil(t, report.Model)
	assert.Contains(t, found(report)[0], "ops/onnxextension")
	registry, err := plugin.NewRegistry(append(builtin.Ops(), onnxextension.Ops()...)...)
	require.NoError(t, err)
	report, err = onnx.CheckFile(t.Context(), labels, onnx.Options{Rules: registry})
	require.NoError(t, err)
	assert.Contains(t, found(report), `0: note: layer 11 "id/KeyIndex" (KeyIndex, vinoir): OpenVINO has no layer type KeyIndex, and will not read the model as an IR; `+
		`this holds for 1 layer [onnx-own-layer]`)
}

// TestCheck_errors tests files that are no models.
func TestCheck_errors(t *testing.T) {
	_, err := onnx.Check(t.Context(), []byte("<html>"), options(t))
	var format *ir.FormatError
	assert.ErrorAs(t, err, &format)
	_, err = onnx.CheckFile(t.Context(), filepath.Join(t.TempDir(), "none.onnx"), options(t))
	assert.ErrorIs(t, err, os.ErrNotExist)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = onnx.Check(ctx, onnxtest.Encode(good()), options(t))
	assert.ErrorIs(t, err, context.Canceled)
}

// TestCheck_many tests that the number of findings has a limit.
func TestCheck_many(t *testing.T) {
	m := good()
	for range 30_000 {
		m.Graph.Nodes = append(m.Graph.Nodes, &proto.Node{Operator: "Relu", Inputs: []string{"none"}})
	}
	report, err := onnx.Check(t.Context(), onnxtest.Encode(m), options(t))
	require.NoError(t, err)
	last := report.Findings[len(report.Findings)-1]
	assert.Equal(t, validate.RuleTolerated, last.Rule)
	assert.Contains(t, last.Message, "more findings, which are not reported")
	assert.LessOrEqual(t, len(report.Findings), 20_001)
}

func TestFindingRules(t *testing.T) {
	known := make(map[string]bool)
	for _, rule := range append(onnx.FindingRules(), validate.FindingRules()...) {
		assert.False(t, known[rule.ID], "%s is there twice", rule.ID)
		known[rule.ID] = true
		assert.NotEmpty(t, rule.Summary)
		assert.NotEmpty(t, rule.Help)
	}
	for _, id := range []string{
		onnx.RuleConversion, onnx.RuleOperator, onnx.RuleGraph, onnx.RuleField, onnx.RuleVersion, onnx.RuleNode, onnx.RuleOwnLayer, onnx.RuleSeveral, onnx.RuleNames, onnx.RuleUnneeded,
	} {
		assert.True(t, known[id], id)
	}
}
