package edit_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/irxml"
)

// branch returns a body that computes a layer type of its input, which is input 1 of an If.
func branch(t *testing.T, layerType string, input int) ir.Body {
	b := newBuilder(t)
	x := b.Parameter("x", ir.F32, ir.UnknownRank)
	r := b.Result("", b.Layer(layerType, 1, nil, x))
	m, err := b.Model()
	require.NoError(t, err)
	return ir.Body{
		Model: m, Inputs: []ir.BodyPort{{External: input, Internal: x.Layer}}, Outputs: []ir.BodyPort{{Internal: r.Layer}},
	}
}

func TestBuilder_LayerWithBodies(t *testing.T) {
	b := newBuilder(t)
	condition := b.Parameter("condition", ir.Boolean, ir.ShapeOf())
	x := b.Parameter("x", ir.F32, ir.StaticShape(2, 3))
	y := b.LayerWithBodies("If", 8, nil, []ir.Body{branch(t, "Relu", 1), branch(t, "Abs", 1)}, 1, condition, x)
	assert.Equal(t, "[2,3]", b.Fact(y).Shape.String())
	b.Result("y", y)
	m, err := b.Model()
	require.NoError(t, err)
	require.NoError(t, edit.Check(m))
	inner := y.Layer.Bodies[1].Model
	assert.Equal(t, y.Layer, inner.Layers[0].Owner)
	assert.Equal(t, "[2,3]", inner.Results[0].Inputs[0].Declared.String(), "a body is declared with the shapes of its layer")

	var xml, bin bytes.Buffer
	require.NoError(t, irxml.Write(t.Context(), &xml, &bin, m, irxml.WriteOptions{}))
	read, err := irxml.Read(xml.Bytes(), bin.Bytes(), irxml.ReadOptions{})
	require.NoError(t, err)
	assert.Len(t, read.Results[0].Inputs[0].Source.Bodies, 2)
}

func TestBuilder_LayerWithBodies_errors(t *testing.T) {
	used := branch(t, "Relu", 1)
	used.Model.Layers[0].Owner = &ir.Layer{Name: "other", Type: "If", Opset: "opset8"}
	for want, bodies := range map[string][]ir.Body{
		"(If, opset8): there is no body 1":                                  {branch(t, "Relu", 1)},
		"body 0 of layer 2 \"If_2\" (If, opset8) has a port map of input 7": {branch(t, "Relu", 7), branch(t, "Relu", 1)},
		"(If, opset8): body 1 has no model":                                 {branch(t, "Relu", 1), {}},
		"(If, opset8): body 0 is body 0 of layer 0 \"other\" (If, opset8)":  {used, branch(t, "Relu", 1)},
		"output 0 is f32 in then_body, i64 in else_body":                    {branch(t, "Relu", 1), branch(t, "ShapeOf", 1)},
		"(If, opset8): 0 outputs are wanted, expected 1 to 65536":           nil,
	} {
		b := newBuilder(t)
		condition, x := b.Parameter("condition", ir.Boolean, ir.ShapeOf()), b.Parameter("x", ir.F32, ir.StaticShape(2))
		outputs := 1
		if bodies == nil {
			outputs = 0
		}
		b.LayerWithBodies("If", 8, nil, bodies, outputs, condition, x)
		assert.ErrorContains(t, b.Err(), want)
	}
}
