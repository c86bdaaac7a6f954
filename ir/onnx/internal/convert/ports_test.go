package convert_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// listRules returns the rules of operators on lists: Pass, which returns its input, and Pair, which
// makes a list of two tensors.
func listRules() []convert.Rule {
	one, two := infer.Arity{Min: 1, Max: 1}, infer.Arity{Min: 2, Max: 2}
	same := func(n *convert.Node) []convert.Value { return []convert.Value{n.Input(0)} }
	pair := func(n *convert.Node) []convert.Value {
		return []convert.Value{n.List(ir.F32, []convert.Part{{Value: n.Input(0)}, {Value: n.Input(1)}})}
	}
	return append(rules(),
		convert.Rule{Operator: "Pass", Versions: []int{1}, Inputs: one, Outputs: one, AnyKind: true, Convert: same},
		convert.Rule{Operator: "Pair", Versions: []int{1}, Inputs: two, Outputs: one, Convert: pair},
	)
}

// sequenceOf and optionalOf return the type of a sequence and of an optional.
func sequenceOf(t *proto.Type) *proto.Type {
	return &proto.Type{Kind: proto.KindSequence, Element: t}
}

func optionalOf(t *proto.Type) *proto.Type {
	return &proto.Type{Kind: proto.KindOptional, Element: t}
}

// TestModel_lists tests inputs and outputs that are sequences and optionals, and those that the
// options make constants.
func TestModel_lists(t *testing.T) {
	vector := onnxtest.TensorType(ir.F32, 2)
	tensor, err := ir.TensorFrom([]float32{1, 2})
	require.NoError(t, err)
	relu, same := onnxtest.Node("Relu", "x", "y"), onnxtest.Node("Pass", "x", "y")
	pair := onnxtest.Node("Pair", "x x", "y")
	for _, c := range []struct {
		name      string
		node      *proto.Node
		input     *proto.Type
		lengths   map[string]int
		constants map[string]*ir.Tensor
		want      []string // the outputs, or a part of the error
	}{
		{"optional", relu, optionalOf(vector), nil, nil, []string{"y"}},
		{"optional sequence", same, optionalOf(sequenceOf(vector)), map[string]int{"x": 2}, nil, []string{"y.0", "y.1"}},
		{"sequence", same, sequenceOf(vector), map[string]int{"x": 1}, nil, []string{"y.0"}},
		{"list", pair, vector, nil, nil, []string{"y.0", "y.1"}},
		{"constant", relu, vector, nil, map[string]*ir.Tensor{"x": tensor}, []string{"y"}},
		{"error: no value", relu, optionalOf(vector), map[string]int{"x": convert.NoValue}, nil, []string{`input 0 ("x") is an optional without a value, expected a tensor`}},
		{"error: nothing is left", same, optionalOf(vector), map[string]int{"x": convert.NoValue}, nil, []string{"the model has no Result"}},
		{"error: empty", same, sequenceOf(vector), map[string]int{"x": 0}, nil, []string{"the model has no Result"}},
		{"error: unknown length", same, sequenceOf(vector), nil, nil, []string{`input "x": type sequence is not supported: OpenVINO does not have it; with its length in Options.Lengths, it becomes as many inputs of type f32[2]`}},
		{"error: negative length", same, sequenceOf(vector), map[string]int{"x": -1}, nil, []string{"it is given the length -1"}},
		{"error: large length", same, sequenceOf(vector), map[string]int{"x": 1 << 30}, nil, []string{"the model has more than 10000 nodes"}},
		{"error: sequence of sequences", same, sequenceOf(sequenceOf(vector)), map[string]int{"x": 1}, nil, []string{"type sequence is not supported"}},
		{"error: length of a tensor", relu, vector, map[string]int{"x": 1}, nil, []string{"it is no sequence, and is given the length 1"}},
		{"error: length of another", relu, vector, map[string]int{"w": 1}, nil, []string{`the length of an input "w", which the model does not have`}},
		{"error: constant of another", relu, vector, nil, map[string]*ir.Tensor{"w": tensor}, []string{`the value of an input "w", which the model does not have`}},
		{"error: constant that is nil", relu, vector, nil, map[string]*ir.Tensor{"x": nil}, []string{"the options have nil for it"}},
		{"error: constant of another shape", relu, onnxtest.TensorType(ir.F32, 3), nil, map[string]*ir.Tensor{"x": tensor}, []string{"it is f32[3], and the options have f32[2] for it"}},
		{"error: constant of another type", relu, onnxtest.TensorType(ir.I64, 2), nil, map[string]*ir.Tensor{"x": tensor}, []string{"it is i64[2], and the options have f32[2] for it"}},
		{"error: constant for a sequence", same, sequenceOf(vector), map[string]int{"x": 1}, map[string]*ir.Tensor{"x": tensor}, []string{"it is a sequence, and the options have a tensor for it"}},
		{"error: list", onnxtest.Node("Relu", "y", "z"), vector, nil, nil, []string{`input 0 ("y") is a sequence, expected a tensor`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := &proto.Graph{Nodes: []*proto.Node{c.node}, Inputs: []*proto.ValueInfo{{Name: "x", Type: c.input}}, Outputs: []*proto.ValueInfo{{Name: c.node.Outputs[0]}}}
			if c.node.Inputs[0] == "y" {
				g.Nodes = append(g.Nodes, pair)
			}
			s := onnxtest.NewSuite(t, listRules())
			s.Lengths, s.Constants = c.lengths, c.constants
			m, err := s.Convert(t, onnxtest.Model(13, g))
			if err != nil {
				assert.ErrorContains(t, err, c.want[0])
				assert.Contains(t, c.name, "error: ")
				return
			}
			require.Len(t, m.Results, len(c.want))
			for i, r := range m.Results {
				assert.Contains(t, r.OutputNames, c.want[i])
			}
		})
	}
}

// TestNode_lists tests rules that take lists for tensors.
func TestNode_lists(t *testing.T) {
	pair := func(n *convert.Node) convert.Value {
		return n.List(ir.Dynamic, []convert.Part{{Value: n.Input(0)}, {Value: n.Input(0)}})
	}
	for message, f := range map[string]func(n *convert.Node) []convert.Value{
		"input 0 of a ReLU is a sequence, expected a tensor": func(n *convert.Node) []convert.Value {
			return []convert.Value{n.Layer("ReLU", 1, nil, pair(n))}
		},
		"a value is an optional without a value, expected a tensor": func(n *convert.Node) []convert.Value {
			n.Shape(convert.Empty())
			return nil
		},
		"input 0 of a If is a sequence, expected a tensor": func(n *convert.Node) []convert.Value {
			return []convert.Value{n.LayerWithBodies("If", 8, 1, nil, pair(n))}
		},
		"a result is a sequence, expected a tensor": func(n *convert.Node) []convert.Value {
			body := n.NewBody()
			body.Result(ir.BodyPort{}, body.Capture(pair(n)))
			body.Failed()
			return nil
		},
		"the tensor is f32, and the sequence has i64": func(n *convert.Node) []convert.Value {
			return []convert.Value{n.Append(n.List(ir.I64, nil).List(), n.Input(0))}
		},
		"tensor 0 of the sequence is f32, expected i64 as of the others": func(n *convert.Node) []convert.Value {
			return []convert.Value{n.List(ir.I64, []convert.Part{{Value: n.Input(0)}})}
		},
		"the model has more than 10000 nodes": func(n *convert.Node) []convert.Value {
			list := n.List(ir.F32, nil)
			for range 10_000 { // costs nothing, since the lists share their tensors
				list = n.Append(list.List(), n.Input(0))
			}
			n.Append(list.List(), n.Input(0))
			n.Append(list.List(), n.Input(0))
			return []convert.Value{list}
		},
	} {
		_, err := convertBy(t, f, graph("y", onnxtest.Node("Op", "x", "y")))
		assert.ErrorContains(t, err, message)
	}
}

func TestValue(t *testing.T) {
	a, b := convert.LoopList(ir.F32), convert.LoopList(ir.F32)
	assert.True(t, a.Matches(a))
	assert.False(t, a.Matches(b), "two loops carry different lists")
	assert.False(t, a.Matches(convert.Empty()))
	assert.Empty(t, a.Tensors())
	assert.Equal(t, "a sequence whose length depends on data", a.String())
	_, starts := a.List().After(b.List())
	assert.False(t, starts)
	more, starts := a.List().After(a.List())
	assert.True(t, starts)
	assert.Empty(t, more)
	assert.Equal(t, convert.Empty(), convert.Empty().With(nil))
	assert.True(t, convert.Value{}.Absent())
	assert.False(t, convert.Empty().Absent())
}
