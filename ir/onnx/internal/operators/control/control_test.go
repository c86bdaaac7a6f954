package control_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/activation"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/control"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// branch returns a graph with an output z, and nodes.
func branch(nodes ...*proto.Node) *proto.Graph {
	return &proto.Graph{Nodes: nodes, Outputs: []*proto.ValueInfo{{Name: "z"}}}
}

// model returns a model y = If(condition), with an input x and a condition that is an initializer.
func model(condition any, then, otherwise *proto.Graph) *proto.Model {
	value, err := ir.TensorFrom(condition)
	if err != nil {
		panic(err)
	}
	node := onnxtest.Node("If", "c", "y", onnxtest.Attributes("then_branch", then, "else_branch", otherwise)...)
	return onnxtest.Model(13, &proto.Graph{
		Nodes: []*proto.Node{onnxtest.Node("Relu", "x", "r"), node}, Inputs: []*proto.ValueInfo{onnxtest.Value("x", ir.F32, 2)},
		Outputs: []*proto.ValueInfo{{Name: "y"}}, Initializers: []*proto.Tensor{onnxtest.TensorOf("c", value)},
	})
}

func TestIf(t *testing.T) {
	s := onnxtest.NewSuite(t, slices.Concat(control.Rules(), activation.Rules()))
	// The branch that is not taken has an unknown operator.
	good, bad := branch(onnxtest.Node("Tanh", "r", "t"), onnxtest.Node("Sigmoid", "t", "z")), branch(onnxtest.Node("Unknown", "x", "z"))
	for condition, m := range map[bool]*proto.Model{true: model(true, good, bad), false: model([]bool{false}, bad, good)} {
		got, err := s.Convert(t, m)
		require.NoError(t, err, condition)
		var names []string
		for _, layer := range got.Order {
			names = append(names, layer.Type+" "+layer.Name)
		}
		assert.Equal(t, []string{"Parameter x", "Relu r", "Tanh y/t", "Sigmoid y", "Result y/sink_port_0"}, names)
	}

	outer := branch()
	outer.Outputs[0].Name = "r"
	got, err := s.Convert(t, model(true, outer, bad))
	require.NoError(t, err)
	assert.Equal(t, []string{"r", "y"}, got.Results[0].OutputNames)
}

func TestIf_errors(t *testing.T) {
	s := onnxtest.NewSuite(t, slices.Concat(control.Rules(), activation.Rules()))
	good := branch(onnxtest.Node("Relu", "r", "z"))
	two := &proto.Graph{Inputs: []*proto.ValueInfo{{Name: "a"}}, Outputs: good.Outputs}
	dynamic := model(true, good, branch(onnxtest.Node("Unknown", "x", "z")))
	dynamic.Graph.Initializers = nil
	dynamic.Graph.Inputs = append(dynamic.Graph.Inputs, onnxtest.Value("c", ir.Boolean))
	without := model(true, good, good)
	without.Graph.Nodes[1].Attributes = nil
	deep := good
	for range 9 {
		inner := onnxtest.Node("If", "c", "z", onnxtest.Attributes("then_branch", deep, "else_branch", good)...)
		deep = branch(inner)
	}
	for _, c := range []struct {
		message string
		model   *proto.Model
	}{
		{"the condition has 2 elements, expected 1", model([]bool{true, true}, good, good)},
		{"attribute then_branch: the graph has 1 inputs and 1 outputs, expected 0 and 1", model(true, two, good)},
		{"attribute else_branch: the graph has 1 inputs", model(true, good, two)},
		{"attribute then_branch has no graph", without},
		{"an operator is not supported: Unknown", model(false, good, branch(onnxtest.Node("Unknown", "x", "z")))},
		{`(If): the node of "z" (Relu-13): input 0: nothing defines the value "no"`, model(true, branch(onnxtest.Node("Relu", "no", "z")), good)},
		{`output 0: nothing defines the value "z"`, model(true, branch(), good)},
		{"the graph has a cycle", model(true, branch(onnxtest.Node("Relu", "z", "z")), good)},
		{"nested deeper than the limit of 8", model(true, deep, good)},
		{"the condition is f32, expected boolean", model(float32(1), good, good)},
		{"an operator is not supported: Unknown", dynamic},
	} {
		_, err := s.Convert(t, c.model)
		assert.ErrorContains(t, err, c.message)
	}
	_, err := s.Convert(t, dynamic)
	var u *convert.UnsupportedError
	assert.ErrorAs(t, err, &u)
}
