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

// either is a rule that makes an If with two bodies of one graph. The graph has an input, which is
// input 1 of the node.
func either(n *convert.Node) []convert.Value {
	var bodies []*convert.Body
	for range 2 {
		b := n.NewBody()
		x := b.Parameter(ir.BodyPort{External: 1}, n.Type(n.Input(1)), n.Shape(n.Input(1)))
		for _, v := range b.Graph("body", n.Outputs(), nil, x) {
			if v.Spoiled() {
				return v.Distribute(n.Outputs(), n.Wants)
			}
			b.Result(ir.BodyPort{}, b.Layer("Add", 1, nil, v, b.Capture(n.Input(1))))
		}
		bodies = append(bodies, b)
	}
	return n.LayerWithBodies("If", 8, 1, bodies, n.Inputs()...).Distribute(n.Outputs(), n.Wants)
}

func TestNode_LayerWithBodies(t *testing.T) {
	s := onnxtest.NewSuite(t, append(rules(), convert.Rule{
		Operator: "Either", Versions: []int{1}, Inputs: infer.Arity{Min: 2, Max: 2}, Outputs: infer.Arity{Min: 1, Max: -1}, Convert: either,
	}))
	w, err := ir.TensorFrom([]float32{1, 2, 3})
	require.NoError(t, err)
	convertBody := func(p *proto.Graph) (*ir.Model, error) {
		g := graph("y", onnxtest.Node("Relu", "x", "r"), onnxtest.Node("Either", "c r", "y", onnxtest.Attribute("body", p)))
		g.Inputs = append(g.Inputs, onnxtest.Value("c", ir.Boolean))
		g.Initializers = []*proto.Tensor{onnxtest.TensorOf("w", w)}
		return s.Convert(t, onnxtest.Model(13, g))
	}
	// The graph reads its input, x of the graph around it, and w, which is a constant there.
	p := body("Relu")
	p.Nodes = append(p.Nodes, onnxtest.Node("Add", "z w", "zz"))
	p.Outputs[0].Name = "zz"
	m, err := convertBody(p)
	require.NoError(t, err)
	layer := m.Results[0].Inputs[0].Source
	assert.Equal(t, "y", layer.Name)
	assert.Len(t, layer.Inputs, 4, "the condition, r, and what the bodies capture: x and r again")
	for _, b := range layer.Bodies {
		assert.Len(t, b.Inputs, 3)
		assert.Len(t, b.Model.Parameters, 3)
		var names []string
		for _, layer := range b.Model.Layers {
			names = append(names, layer.Name)
		}
		assert.Subset(t, names, []string{"parameter", "y/r", "y/z", "zz", "Constant_4", "y/Add"})
	}

	unknown := body("Foo")
	_, err = convertBody(unknown)
	assert.ErrorContains(t, err, "an operator is not supported: Foo of version 13 (1 node")
	wrong := body("Add")
	_, err = convertBody(wrong)
	assert.ErrorContains(t, err, `the node of "y" (Either): the node of "z" (Add-7): 1 inputs are connected, expected 2`)
	none := body("Relu")
	none.Inputs = nil
	_, err = convertBody(none)
	assert.ErrorContains(t, err, "attribute body: the graph has 0 inputs and 1 outputs, expected 1 and 1")
}

// TestBody_ports checks that the ports of a body have what OpenVINO reads: the defaults of its
// attributes, and axes that are not negative, where the rank is known.
func TestBody_ports(t *testing.T) {
	sliced := ir.BodyPort{Sliced: true, Axis: -1, End: -1, Stride: 1, PartSize: 1}
	m, err := convertBy(t, func(n *convert.Node) []convert.Value {
		b := n.NewBody()
		b.Parameter(ir.BodyPort{External: -1, Purpose: "current_iteration"}, ir.I64, ir.ShapeOf())
		rows := sliced
		rows.External = 2
		x := b.Parameter(rows, ir.F32, ir.ShapeOf(ir.Dim(3), ir.Dim(1)))
		unknown := rows
		unknown.External = 3
		b.Parameter(unknown, ir.F32, ir.UnknownRank)
		b.Result(ir.BodyPort{External: -1, Purpose: "execution_condition"}, b.ValueOf(true))
		b.Result(sliced, b.Layer("Add", 1, nil, x, b.Capture(n.Input(1))))
		return []convert.Value{n.LayerWithBodies("Loop", 5, 1, []*convert.Body{b}, n.IntValue(4), n.ValueOf(true), n.Input(0), n.Input(0))}
	}, &proto.Graph{
		Nodes:   []*proto.Node{onnxtest.Node("Op", "x s", "y")},
		Inputs:  []*proto.ValueInfo{onnxtest.Value("x", ir.F32, 3, 4), onnxtest.Value("s", ir.F32)},
		Outputs: []*proto.ValueInfo{{Name: "y"}},
	})
	require.NoError(t, err)
	layer := m.Results[0].Inputs[0].Source
	var axes []int64
	for _, ports := range [][]ir.BodyPort{layer.Bodies[0].Inputs, layer.Bodies[0].Outputs} {
		for _, port := range ports {
			assert.Equal(t, []int64{0, -1, 1, 1}, []int64{port.Start, port.End, port.Stride, port.PartSize})
			if port.Sliced {
				axes = append(axes, port.Axis)
			}
		}
	}
	assert.Equal(t, []int64{1, -1, 1}, axes, "the rank of the second one is not known")
}
