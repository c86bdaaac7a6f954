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

// body returns a graph of one node that reads its input a and the name x of the graph around it,
// and that shadows the name r.
func body(operator string) *proto.Graph {
	return &proto.Graph{
		Inputs: []*proto.ValueInfo{{Name: "a"}}, Outputs: []*proto.ValueInfo{{Name: "z"}},
		Nodes: []*proto.Node{onnxtest.Node("Add", "a x", "r"), onnxtest.Node(operator, "r", "z")},
	}
}

func TestNode_Inline(t *testing.T) {
	any := infer.Arity{Max: -1}
	s := onnxtest.NewSuite(t, append(rules(), convert.Rule{
		Operator: "Call", Versions: []int{1}, Inputs: any, Outputs: any, Convert: func(n *convert.Node) []convert.Value { return n.Inline("body", n.Inputs()...) },
	}))
	convertBody := func(p *proto.Graph) (*ir.Model, error) {
		return s.Convert(t, onnxtest.Model(13, graph("y", onnxtest.Node("Relu", "x", "r"), onnxtest.Node("Call", "r", "y", onnxtest.Attribute("body", p)))))
	}
	m, err := convertBody(body("Relu"))
	require.NoError(t, err)
	assert.Equal(t, "r=Relu(x) y/r=Add(r,x) y=Relu(y/r) -> y(y)", text(m))

	for operator, message := range map[string]string{
		"Foo": "an operator is not supported: Foo",
		"Elu": "attribute body: the graph has 0 inputs and 1 outputs, expected 1 and 1",
		"Add": `the node of "y" (Call): the node of "z" (Add-7): 1 inputs are connected, expected 2`,
	} {
		p := body(operator)
		if operator == "Elu" {
			p.Inputs = nil
		}
		_, err := convertBody(p)
		assert.ErrorContains(t, err, message)
	}
	undefined := body("Relu")
	undefined.Outputs[0].Name = "nothing"
	_, err = convertBody(undefined)
	assert.ErrorContains(t, err, `nothing defines the value "nothing"`)
	_, err = s.Convert(t, onnxtest.Model(13, graph("y", onnxtest.Node("Call", "x", "y"))))
	assert.ErrorContains(t, err, "attribute body has no graph")
	_, err = s.Convert(t, onnxtest.Model(13, graph("y", onnxtest.Node("Call", "x", "y", onnxtest.Attribute("body", 1)))))
	assert.ErrorContains(t, err, "attribute body is an integer, expected a graph")
}

func TestNode_Unsupported(t *testing.T) {
	_, err := convertBy(t, func(n *convert.Node) []convert.Value {
		n.Unsupported("not yet")
		return nil
	}, graph("y", onnxtest.Node("Op", "x", "y")))
	var u *convert.UnsupportedError
	require.ErrorAs(t, err, &u)
	assert.Equal(t, "not yet", u.Operators[0].Reason)
}
