package convert_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// call returns a node that calls a function of domain f.
func call(name, inputs, outputs string, attributes ...*proto.Attribute) *proto.Node {
	node := onnxtest.Node(name, inputs, outputs, attributes...)
	node.Domain = "f"
	return node
}

// function returns a function of domain f.
func function(name string, inputs, outputs []string, nodes ...*proto.Node) *proto.Function {
	return &proto.Function{Domain: "f", Name: name, Inputs: inputs, Outputs: outputs, Nodes: nodes, Imports: []proto.Import{{Version: 13}}}
}

// withFunctions returns a model with an output y of functions.
func withFunctions(node *proto.Node, functions ...*proto.Function) *proto.Model {
	m := onnxtest.Model(13, graph("y", node))
	m.Functions = functions
	return m
}

func TestFunction(t *testing.T) {
	s := onnxtest.NewSuite(t, rules())
	referring := onnxtest.Node("Elu", "a", "b", &proto.Attribute{Name: "alpha", Type: proto.AttributeFloat, Reference: "slope"})
	elu := function("F", []string{"a"}, []string{"b"}, referring)
	elu.Attributes = []string{"slope"}
	withDefault := *elu
	withDefault.Attributes, withDefault.Defaults = nil, []*proto.Attribute{onnxtest.Attribute("slope", 0.5)}
	inner := function("G", []string{"a"}, []string{"t"}, onnxtest.Node("Relu", "a", "u"), onnxtest.Node("Relu", "u", "t"))
	for _, c := range []struct {
		name  string
		model *proto.Model
		want  string
	}{
		{"body", withFunctions(call("G", "x", "y"), inner), "y/u=Relu(x) y=Relu(y/u) -> y(y)"},
		{"nested", withFunctions(call("F", "x", "y"), inner, function("F", []string{"a"}, []string{"t"}, call("G", "a", "u"), call("G", "u", "t"))),
			"y/u/u=Relu(x) y/u=Relu(y/u/u) y/u_1=Relu(y/u) y=Relu(y/u_1) -> y(y)"},
		{"input as output", withFunctions(call("F", "x", "y"), function("F", []string{"a"}, []string{"a"})), "-> x,y(x)"},
		{"absent input", withFunctions(call("F", "x", "y"), function("F", []string{"a", "b"}, []string{"c"}, onnxtest.Node("Same", "a b", "c"))), "-> x,y(x)"},
		{"own rule", withFunctions(onnxtest.Node("Relu", "x", "y"), &proto.Function{Name: "Relu"}), "y=Relu(x) -> y(y)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := s.Convert(t, c.model)
			require.NoError(t, err)
			assert.Equal(t, c.want, text(m))
		})
	}
	for _, c := range []struct {
		f     *proto.Function
		given []*proto.Attribute
		want  string
	}{
		{elu, onnxtest.Attributes("slope", 2.0), "2"},
		{elu, nil, "1"}, // the default of Elu
		{&withDefault, nil, "0.5"},
		{&withDefault, onnxtest.Attributes("slope", 3.0), "3"},
	} {
		m, err := s.Convert(t, withFunctions(call("F", "x", "y", c.given...), c.f))
		require.NoError(t, err)
		assert.Equal(t, c.want, ir.AttributesOf(m.Order[1]).String("alpha", ""))
	}
}

func TestFunction_errors(t *testing.T) {
	s := onnxtest.NewSuite(t, rules())
	plain := function("F", []string{"a"}, []string{"b"}, onnxtest.Node("Relu", "a", "b"))
	chain := []*proto.Function{plain}
	for i := range 12 {
		name, before := fmt.Sprintf("F%d", i+1), "F"
		if i > 0 {
			before = fmt.Sprintf("F%d", i)
		}
		chain = append(chain, function(name, []string{"a"}, []string{"b"}, call(before, "a", "t"), call(before, "t", "b")))
	}
	for _, c := range []struct {
		name, message string
		model         *proto.Model
	}{
		{"recursion", "the function calls itself", withFunctions(call("F", "x", "y"), function("F", []string{"a"}, []string{"b"}, call("F", "a", "b")))},
		{"each other", "the function calls itself", withFunctions(call("F", "x", "y"), function("F", []string{"a"}, []string{"b"}, call("G", "a", "b")), function("G", []string{"a"}, []string{"b"}, call("F", "a", "b")))},
		{"twice", "function f:F is there twice", withFunctions(call("F", "x", "y"), plain, plain)},
		{"inputs", "2 inputs are given, the function has 1", withFunctions(call("F", "x x", "y"), plain)},
		{"outputs", "2 outputs are wanted, the function has 1", withFunctions(call("F", "x", "y z"), plain)},
		{"capture", `(f:F): the node of "b" (Relu-6): input 0: nothing defines the value "x"`, withFunctions(call("F", "x", "y"), function("F", []string{"a"}, []string{"b"}, onnxtest.Node("Relu", "x", "b")))},
		{"no output", `nothing defines the value "b"`, withFunctions(call("F", "x", "y"), function("F", []string{"a"}, []string{"b"}))},
		{"absent output", "output 0 is an input that is absent", withFunctions(call("F", "x", "y"), function("F", []string{"a", "b"}, []string{"b"}))},
		{"reference", `refers to the attribute "no"`, withFunctions(call("F", "x", "y"), function("F", []string{"a"}, []string{"b"}, onnxtest.Node("Elu", "a", "b", &proto.Attribute{Name: "alpha", Reference: "no"})))},
		{"import", "imports version -1", withFunctions(call("F", "x", "y"), &proto.Function{Domain: "f", Name: "F", Inputs: []string{"a"}, Outputs: []string{"a"}, Imports: []proto.Import{{Version: -1}}})},
		{"unsupported", "an operator is not supported: Foo", withFunctions(call("F", "x", "y"), function("F", []string{"a"}, []string{"b"}, onnxtest.Node("Foo", "a", "b")))},
		{"depth", "nested deeper than the limit of 8", withFunctions(call("F12", "x", "y"), chain...)},
		{"number", "more than 10000 nodes", withFunctions(call("Many", "x", "y"), function("Many", []string{"a"}, []string{"b"}, many(101)...), function("M", []string{"a"}, []string{"b"}, many100()...), plain)},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := s.Convert(t, c.model)
			assert.ErrorContains(t, err, c.message)
		})
	}
}

// many returns a chain of n calls of M from a to b.
func many(n int) []*proto.Node {
	return chainOf(n, func(in, out string) *proto.Node { return call("M", in, out) })
}

// many100 returns a chain of 100 nodes from a to b.
func many100() []*proto.Node {
	return chainOf(100, func(in, out string) *proto.Node { return onnxtest.Node("Same", in, out) })
}

// chainOf returns a chain of n nodes from a to b.
func chainOf(n int, node func(in, out string) *proto.Node) []*proto.Node {
	var list []*proto.Node
	in := "a"
	for i := range n {
		out := fmt.Sprintf("c%d", i)
		if i == n-1 {
			out = "b"
		}
		list = append(list, node(in, out))
		in = out
	}
	return list
}
