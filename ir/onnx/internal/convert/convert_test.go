package convert_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// rules are those of a few operators, for tests of what is not about operators.
func rules() []convert.Rule {
	one, two := infer.Arity{Min: 1, Max: 1}, infer.Arity{Min: 2, Max: 2}
	return []convert.Rule{
		{Operator: "Relu", Versions: []int{1, 6}, Inputs: one, Outputs: one, Convert: func(n *convert.Node) []convert.Value {
			return []convert.Value{n.Layer("Relu", 1, nil, n.Input(0))}
		}},
		{Operator: "Add", Versions: []int{7}, Inputs: two, Outputs: one, Convert: func(n *convert.Node) []convert.Value {
			return []convert.Value{n.Layer("Add", 1, nil, n.Input(0), n.Input(1))}
		}},
		{Operator: "Same", Versions: []int{1}, Inputs: infer.Arity{Min: 1, Max: 2}, Outputs: infer.Arity{Min: 1, Max: 2}, Convert: func(n *convert.Node) []convert.Value {
			return []convert.Value{n.Input(0), n.Input(1)}
		}},
		{Operator: "Twice", Versions: []int{1}, Inputs: one, Outputs: one, Convert: func(n *convert.Node) []convert.Value {
			x := n.Layer("Multiply", 1, nil, n.Input(0), n.Like(n.Input(0), 2))
			return []convert.Value{n.Layer("Relu", 1, nil, x)}
		}},
		{Operator: "Elu", Versions: []int{1}, Inputs: one, Outputs: one, Convert: func(n *convert.Node) []convert.Value {
			return []convert.Value{n.Layer("Elu", 1, convert.Attributes("alpha", n.Float("alpha", 1)), n.Input(0))}
		}},
		{Operator: "Split", Versions: []int{2}, Inputs: one, Outputs: infer.Arity{Min: 1, Max: -1}, Convert: func(n *convert.Node) []convert.Value {
			parts := n.Layer("Split", 1, convert.Attributes("num_splits", n.Outputs()), n.Input(0), n.IntValue(0))
			return []convert.Value{parts, parts.Output(1)}
		}},
		{Operator: "Panic", Versions: []int{1}, Inputs: one, Outputs: one, Convert: func(*convert.Node) []convert.Value { panic("no") }},
	}
}

// graph returns a graph with an input x, f32[2,3], and outputs.
func graph(outputs string, nodes ...*proto.Node) *proto.Graph {
	g := &proto.Graph{Name: "g", Inputs: []*proto.ValueInfo{onnxtest.Value("x", ir.F32, 2, 3)}, Nodes: nodes}
	for _, name := range strings.Fields(outputs) {
		g.Outputs = append(g.Outputs, &proto.ValueInfo{Name: name})
	}
	return g
}

// text returns the layers of a model that are not Parameters or Results, with the names of what
// they read, and the outputs with theirs.
func text(m *ir.Model) string {
	var list []string
	for _, layer := range m.Order {
		var from []string
		for _, in := range layer.Inputs {
			name := in.Source.Name
			if in.SourceIndex > 0 {
				name += fmt.Sprintf(":%d", in.SourceIndex)
			}
			from = append(from, name)
		}
		switch layer.Type {
		case "Parameter":
		case "Result":
			list = append(list, fmt.Sprintf("-> %s(%s)", strings.Join(layer.OutputNames, ","), strings.Join(from, ",")))
		default:
			list = append(list, fmt.Sprintf("%s=%s(%s)", layer.Name, layer.Type, strings.Join(from, ",")))
		}
	}
	return strings.Join(list, " ")
}

func TestModel(t *testing.T) {
	s := onnxtest.NewSuite(t, rules())
	w, err := ir.TensorFrom([]float32{1, 2, 3})
	require.NoError(t, err)
	for _, c := range []struct {
		name  string
		graph *proto.Graph
		want  string
	}{
		{"a chain", graph("y", onnxtest.Node("Relu", "x", "a"), onnxtest.Node("Relu", "a", "y")), "a=Relu(x) y=Relu(a) -> y(y)"},
		{"in reverse", graph("y", onnxtest.Node("Relu", "a", "y"), onnxtest.Node("Relu", "x", "a")), "a=Relu(x) y=Relu(a) -> y(y)"},
		{"unused unknown", graph("y", onnxtest.Node("Relu", "x", "y"), onnxtest.Node("Unknown", "nothing", "z")), "y=Relu(x) -> y(y)"},
		{"several layers", graph("y", onnxtest.Node("Twice", "x", "y")), "y/Constant=Constant() y/Multiply=Multiply(x,y/Constant) y=Relu(y/Multiply) -> y(y)"},
		{"a taken name", graph("y", onnxtest.Node("Relu", "x", "y/Multiply"), onnxtest.Node("Twice", "y/Multiply", "y")),
			"y/Multiply=Relu(x) y/Constant=Constant() y/Multiply_1=Multiply(y/Multiply,y/Constant) y=Relu(y/Multiply_1) -> y(y)"},
		{"two outputs", graph("a b", onnxtest.Node("Split", "x", "a b")), "a/Constant=Constant() a=Split(x,a/Constant) -> a(a) -> b(a:1)"},
		{"one of them", graph("b", onnxtest.Node("Split", "x", "- b")), "b/Constant=Constant() b=Split(x,b/Constant) -> b(b:1)"},
		{"another name", graph("y", onnxtest.Node("Relu", "x", "a"), onnxtest.Node("Same", "a", "y")), "a=Relu(x) -> a,y(a)"},
		{"an input as output", graph("x"), "-> x(x)"},
		{"one value twice", graph("a a", onnxtest.Node("Relu", "x", "a")), "a=Relu(x) -> a(a) -> a(a)"},
		{"absent input", graph("y", onnxtest.Node("Same", "x -", "y")), "-> x,y(x)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := s.Convert(t, onnxtest.Model(13, c.graph))
			require.NoError(t, err)
			assert.Equal(t, c.want, text(m))
		})
	}

	g := graph("y w", onnxtest.Node("Add", "x w", "y"))
	g.Initializers = []*proto.Tensor{onnxtest.TensorOf("w", w), {Name: "unused", DataType: 99}}
	g.Inputs = append(g.Inputs, onnxtest.Value("w", ir.F32, 3)) // a default, no Parameter
	m, err := s.Convert(t, onnxtest.Model(13, g))
	require.NoError(t, err)
	assert.Equal(t, "w=Constant() y=Add(x,w) -> y(y) -> w(w)", text(m))
	assert.Len(t, m.Parameters, 1)

	g = graph("y", onnxtest.Node("Add", "x w", "y"))
	g.SparseInitializers = []*proto.SparseTensor{{
		Values:  &proto.Tensor{Name: "w", DataType: proto.Float, Dims: []int64{1}, Floats: []float32{5}},
		Indices: &proto.Tensor{DataType: proto.Int64, Dims: []int64{1}, Int64s: []int64{2}}, Dims: []int64{3},
	}}
	m, err = s.Convert(t, onnxtest.Model(13, g))
	require.NoError(t, err)
	assert.Equal(t, []float32{0, 0, 5}, ir.Data[float32](m.Order[1].Constant))
}

// TestModel_manyNames checks a value that is passed on by many nodes, which must not take long.
func TestModel_manyNames(t *testing.T) {
	var nodes []*proto.Node
	outputs := ""
	for i := range 1000 {
		nodes = append(nodes, onnxtest.Node("Same", "x", fmt.Sprintf("y%d", i)))
		outputs += fmt.Sprintf(" y%d", i)
	}
	s := onnxtest.NewSuite(t, rules())
	_, err := s.Convert(t, onnxtest.Model(13, graph(outputs, nodes...)))
	assert.ErrorContains(t, err, `output "y15": its value has 16 other names, the limit`)
	m, err := s.Convert(t, onnxtest.Model(13, graph("y0 y0 y14", nodes...)))
	require.NoError(t, err)
	assert.Len(t, m.Results, 3)
}

func TestModel_names(t *testing.T) {
	node := onnxtest.Node("Twice", "x", "y")
	node.Name = "the/node"
	m, err := onnxtest.NewSuite(t, rules()).Convert(t, onnxtest.Model(13, graph("y", node)))
	require.NoError(t, err)
	assertOrigin(t, m, map[string]string{"fused_names": "the/node", "onnx_operator": "Twice-1"})
	assert.Equal(t, "y/sink_port_0", m.Results[0].Name)
	assert.Equal(t, "g", m.Name)

	node.Name = ""
	m, err = onnxtest.NewSuite(t, rules()).Convert(t, onnxtest.Model(13, graph("y", node)))
	require.NoError(t, err)
	assertOrigin(t, m, map[string]string{"onnx_operator": "Twice-1"})
}

// assertOrigin checks the attributes in the rt_info of all layers that were made for nodes.
func assertOrigin(t *testing.T, m *ir.Model, want map[string]string) {
	t.Helper()
	for _, layer := range m.Order {
		if layer.Type == "Parameter" || layer.Type == "Result" {
			continue
		}
		require.NotNil(t, layer.RTInfo, layer.Name)
		info := make(map[string]string)
		for _, e := range layer.RTInfo.SelectElements("attribute") {
			info[e.SelectAttrValue("name", "")] = e.SelectAttrValue("value", "")
		}
		assert.Equal(t, want, info)
	}
}

// TestModel_inputs checks what is known about the shapes of inputs.
func TestModel_inputs(t *testing.T) {
	g := graph("y", onnxtest.Node("Relu", "x", "y"))
	for _, c := range []struct {
		value *proto.Type
		want  string
	}{
		{onnxtest.TensorType(ir.F32, 2, "n", ""), "[2,?,?]"},
		{onnxtest.TensorType(ir.F32, -1, 0), "[?,0]"},
		{onnxtest.TensorType(ir.F32), "[]"},
		{&proto.Type{Kind: proto.KindTensor, ElementType: proto.Float}, "[...]"},
	} {
		g.Inputs[0].Type = c.value
		m, err := onnxtest.NewSuite(t, rules()).Convert(t, onnxtest.Model(13, g))
		require.NoError(t, err)
		assert.Equal(t, c.want, m.Parameters[0].Outputs[0].Declared.String())
	}
}

func TestModel_errors(t *testing.T) {
	named := onnxtest.Node("Add", "x x x", "y")
	named.Name = "n"
	with := func(g *proto.Graph, change func(*proto.Graph)) *proto.Graph {
		change(g)
		return g
	}
	relu := func() *proto.Graph { return graph("y", onnxtest.Node("Relu", "x", "y")) }
	for _, c := range []struct {
		name, message string
		graph         *proto.Graph
	}{
		{"inputs", `node "n" (Add-7): 3 inputs are connected, expected 2`, graph("y", named)},
		{"absent", `the node of "y" (Add-7): input 0 is absent, and Add requires it`, graph("y", onnxtest.Node("Add", "- x", "y"))},
		{"outputs", `the node has 2 outputs, expected 1`, graph("y", onnxtest.Node("Relu", "x", "y z"))},
		{"missing output", `output 1 is not supported`, graph("z", onnxtest.Node("Same", "x", "y z"))},
		{"undefined", `the node of "y" (Relu-6): input 0: nothing defines the value "a"`, graph("y", onnxtest.Node("Relu", "a", "y"))},
		{"undefined output", `output "y": nothing defines the value "y"`, graph("y")},
		{"cycle", `the graph has a cycle`, graph("y", onnxtest.Node("Add", "x b", "a"), onnxtest.Node("Relu", "a", "b"), onnxtest.Node("Relu", "b", "y"))},
		{"own output", `the graph has a cycle`, graph("y", onnxtest.Node("Relu", "y", "y"))},
		{"twice", `output "y" is defined by another node too`, graph("y", onnxtest.Node("Relu", "x", "y"), onnxtest.Node("Relu", "x", "y"))},
		{"an input", `output "x" is defined by an input too`, graph("x", onnxtest.Node("Relu", "x", "x"))},
		{"layer", `(Add-7): layer 2 "Add_2" (Add, opset1): `, with(graph("y", onnxtest.Node("Add", "x w", "y")), func(g *proto.Graph) {
			g.Inputs = append(g.Inputs, onnxtest.Value("w", ir.F32, 5))
		})},
		{"panic", "BUG: panic in the rule of an operator: no", graph("y", onnxtest.Node("Panic", "x", "y"))},
		{"no type", `input "x": it has no type`, with(relu(), func(g *proto.Graph) { g.Inputs[0].Type = nil })},
		{"no name", `input "": it has no name`, with(relu(), func(g *proto.Graph) { g.Inputs[0].Name = "" })},
		{"two inputs", `input "x": there are two of that name`, with(relu(), func(g *proto.Graph) { g.Inputs = append(g.Inputs, g.Inputs[0]) })},
		{"sequence", `input "x": type sequence is not supported`, with(relu(), func(g *proto.Graph) {
			g.Inputs[0].Type = &proto.Type{Kind: proto.KindSequence, Element: g.Inputs[0].Type}
		})},
		{"element type", `input "x": type COMPLEX64 is not supported`, with(relu(), func(g *proto.Graph) { g.Inputs[0].Type.ElementType = proto.Complex64 })},
		{"rank", `input "x": `, with(relu(), func(g *proto.Graph) { g.Inputs[0].Type.Shape.Dims = make([]proto.Dim, 65) })},
		{"initializer", `initializer "w": element type 99`, with(graph("y", onnxtest.Node("Add", "x w", "y")), func(g *proto.Graph) {
			g.Initializers = []*proto.Tensor{{Name: "w", DataType: 99}}
		})},
		{"initializer written", `output "y" is defined by an initializer too`, with(relu(), func(g *proto.Graph) {
			g.Initializers = []*proto.Tensor{{Name: "y", DataType: proto.Float}}
		})},
		{"unnamed initializer", `an initializer has no name`, with(relu(), func(g *proto.Graph) { g.Initializers = []*proto.Tensor{{}} })},
		{"no outputs", `the model has no Result`, graph("")},
		{"attribute", `attribute alpha is a string, expected a float`, graph("y", onnxtest.Node("Elu", "x", "y", onnxtest.Attribute("alpha", "1")))},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := onnxtest.NewSuite(t, rules()).Convert(t, onnxtest.Model(13, c.graph))
			assert.ErrorContains(t, err, c.message)
		})
	}
	var node *convert.NodeError
	_, err := onnxtest.NewSuite(t, rules()).Convert(t, onnxtest.Model(13, graph("y", named)))
	require.ErrorAs(t, err, &node)
	assert.Equal(t, []any{"n", "y", "Add", 7}, []any{node.Name, node.Output, node.Operator, node.Version})
}

// TestModel_unsupported checks that all operators without a rule are collected, also behind others
// and in graphs of attributes, and with them the first other error.
func TestModel_unsupported(t *testing.T) {
	inner := graph("z", onnxtest.Node("Deep", "x", "z"), onnxtest.Node("Relu", "x", "w", onnxtest.Attribute("g", graph("v", onnxtest.Node("Deeper", "x", "v")))))
	other := onnxtest.Node("Gelu", "a", "b")
	other.Domain, other.Name = "com.microsoft", "n"
	g := graph("y", onnxtest.Node("Foo", "x", "a"), other, onnxtest.Node("Foo", "b", "c"),
		onnxtest.Node("If", "c", "d", onnxtest.Attribute("then_branch", inner)), onnxtest.Node("Relu", "d", "y"))
	_, err := onnxtest.NewSuite(t, rules()).Convert(t, onnxtest.Model(13, g))
	var u *convert.UnsupportedError
	require.ErrorAs(t, err, &u)
	assert.True(t, u.Unsupported())
	assert.Equal(t, "Foo", u.Missing())
	var names []string
	for _, o := range u.Operators {
		names = append(names, fmt.Sprintf("%s:%s %d", o.Domain, o.Operator, o.Nodes))
	}
	assert.Equal(t, []string{":Foo 2", ":Deep 1", ":Deeper 1", ":If 1", "com.microsoft:Gelu 1"}, names)
	assert.ErrorContains(t, err, `5 operators are not supported: Foo of version 13 (2 nodes, first the node of "a": no such operator is known)`)
	assert.ErrorContains(t, err, `com.microsoft:Gelu of version 1 (1 node, first node "n"`)

	g = graph("y", onnxtest.Node("Relu", "nothing", "a"), onnxtest.Node("Foo", "a", "y"))
	_, err = onnxtest.NewSuite(t, rules()).Convert(t, onnxtest.Model(13, g))
	assert.ErrorContains(t, err, "an operator is not supported: Foo")
	assert.ErrorContains(t, err, `nothing defines the value "nothing"`)

	_, err = onnxtest.NewSuite(t, rules()).Convert(t, onnxtest.Model(6, graph("y", onnxtest.Node("Add", "x x", "y"))))
	assert.ErrorContains(t, err, "it came with version 7, and the model imports 6")

	g = graph("y")
	for i := range 60 {
		g.Nodes = append(g.Nodes, onnxtest.Node(fmt.Sprintf("Op%d", i), "x", fmt.Sprintf("a%d", i)))
		g.Outputs = append(g.Outputs, &proto.ValueInfo{Name: fmt.Sprintf("a%d", i)})
	}
	_, err = onnxtest.NewSuite(t, rules()).Convert(t, onnxtest.Model(13, g))
	assert.ErrorContains(t, err, "60 operators are not supported")
	assert.ErrorContains(t, err, "; and others")
}

func TestModel_imports(t *testing.T) {
	m := onnxtest.Model(13, graph("y", onnxtest.Node("Relu", "x", "y")))
	convertWith := func(imports ...proto.Import) (*ir.Model, error) {
		m.Imports = imports
		return onnxtest.NewSuite(t, rules()).Convert(t, m)
	}
	for _, imports := range [][]proto.Import{nil, {{Domain: "ai.onnx", Version: 5}}, {{Version: 99}}, {{Version: 3}, {Version: 7}}} {
		_, err := convertWith(imports...)
		assert.NoError(t, err)
	}
	got, err := convertWith(proto.Import{Version: 99})
	require.NoError(t, err)
	require.Len(t, got.Notes, 1)
	assert.Contains(t, got.Notes[0].Text, "imports version 99")
	_, err = convertWith(proto.Import{Version: 0})
	assert.ErrorContains(t, err, `the model imports version 0 of domain ""`)
}

func TestNewTable(t *testing.T) {
	_, err := convert.NewTable([]convert.Rule{{Operator: "A", Versions: []int{1, 3}}, {Operator: "A", Versions: []int{3}}})
	assert.EqualError(t, err, "operator A-3 has two rules")
}

func TestModel_canceled(t *testing.T) {
	table, err := convert.NewTable(rules())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := onnxtest.Model(13, graph("y", onnxtest.Node("Same", "x", "y")))
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	_, err = convert.Model(ctx, m, convert.Options{Table: table, Rules: registry, Nodes: 10})
	assert.ErrorIs(t, err, context.Canceled)
}

// TestModel_declared tests what the file says about values and what they are.
func TestModel_declared(t *testing.T) {
	g := graph("y z", onnxtest.Node("Relu", "x", "r"), onnxtest.Node("Relu", "r", "y"), onnxtest.Node("Relu", "r", "z"))
	g.ValueInfo = []*proto.ValueInfo{onnxtest.Value("r", ir.F32, "rows", 4), {Name: "nothing"}}
	g.Outputs = []*proto.ValueInfo{onnxtest.Value("y", ir.F32, "rows", 3), onnxtest.Value("z", ir.I64, 2, 3)}
	m, err := onnxtest.NewSuite(t, rules()).Convert(t, onnxtest.Model(13, g))
	require.NoError(t, err)
	assert.Equal(t, []ir.Note{
		{Text: `value "r" is declared as f32[?,4], and is f32[2,3]`}, {Text: `value "z" is declared as i64[2,3], and is f32[2,3]`},
	}, m.Notes)
}
