package constant

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// TestShapes tests a model that was read without its .bin.
func TestShapes(t *testing.T) {
	at := func(elementType, shape string) layertest.Attributes {
		return layertest.Attributes{"element_type", elementType, "shape", shape}
	}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Attributes: at("f32", "2, 3"), Want: "f32[2,3]"},
		{Version: 1, Attributes: at("u4", "0,"), Want: "u4[0]"},
		{Version: 1, Attributes: at("string", ""), Want: "string[]"},
		{Version: 1, Attributes: at("f32", "-1"), Error: "attribute shape: dimension 0 is -1, not a number from 0 to 2^63-2"},
		{Version: 1, Attributes: at("f32", "?"), Error: `attribute shape: "?" is not a 64-bit whole number`},
		{Version: 1, Attributes: at("dynamic", "1"), Error: "attribute element_type: a Constant must have an element type"},
		{Version: 1, Attributes: at("f32", "1")[:2], Error: "attribute shape: a Constant must have a shape"},
	})
}

func TestValue(t *testing.T) {
	for _, elementType := range []ir.ElementType{ir.I64, ir.U3, ir.String} {
		value := layertest.Counted(t, elementType, 2, 3)
		layer := &ir.Layer{Constant: value}
		attributes, err := Ops[0].Attributes(ir.AttributesOf(layer))
		require.NoError(t, err)
		in := &ops.Inference{Layer: layer, Attributes: attributes, Outputs: make([]ir.Fact, 1)}
		require.NoError(t, Ops[0].Infer(in))
		assert.Equal(t, ir.Fact{Type: elementType, Shape: ir.StaticShape(2, 3), Tensor: value}, in.Outputs[0])

		prepared, err := Ops[0].Prepare(&ops.Preparation{Layer: layer})
		require.NoError(t, err)
		out, err := ir.NewTensor(elementType, 2, 3)
		require.NoError(t, err)
		require.NoError(t, prepared.Kernel(&ops.Run{Outputs: []*ir.Tensor{out}}))
		assert.Equal(t, layertest.Elements(value), layertest.Elements(out))
	}
	_, err := Ops[0].Prepare(&ops.Preparation{Layer: &ir.Layer{}})
	assert.EqualError(t, err, "the value of the Constant is not known: the model was read without its .bin")
}
