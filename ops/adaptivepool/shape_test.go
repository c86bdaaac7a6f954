package adaptivepool

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Type: "AdaptiveAvgPool-8", Inputs: []string{"f32[1,2..3,9,9]", "i64[2]=3,4"}, Want: "f32[1,2..3,3,4]"},
		{Type: "AdaptiveAvgPool-8", Inputs: []string{"f16[1,2,?]", "i32[1]=2..5"}, Want: "f16[1,2,2..5]"},
		{Type: "AdaptiveAvgPool-8", Inputs: []string{"f32[1,2,9,9,9]", "i64[3]"}, Want: "f32[1,2,?,?,?]"},
		{Type: "AdaptiveAvgPool-8", Inputs: []string{"f32[1,2,9]", "i64[?]"}, Want: "f32[1,2,?]"},
		{Type: "AdaptiveMaxPool-8", Inputs: []string{"f32[1,0,9]", "i64[1]=0"}, Want: "f32[1,0,0]"},
		{Type: "AdaptiveAvgPool-8", Inputs: []string{"f32[...]", "i64[2]=3,4"}, Want: "f32[...]"},

		{Type: "AdaptiveAvgPool-8", Inputs: []string{"f32[1,2]", "i64[0]"}, Error: "data has shape [1,2], expected a rank from 3 to 5"},
		{Type: "AdaptiveAvgPool-8", Inputs: []string{"f32[1,2,9]", "i64[2]"}, Error: "output_shape has shape [2], data of shape [1,2,9] has 1 spatial axes"},
		{Type: "AdaptiveAvgPool-8", Inputs: []string{"f32[1,2,9]", "i64[]=1"}, Error: "output_shape has shape [], data of shape [1,2,9] has 1 spatial axes"},
		{Type: "AdaptiveAvgPool-8", Inputs: []string{"f32[1,2,9]", "i64[...]=1,2"}, Error: "output_shape has 2 elements, data of shape [1,2,9] has 1 spatial axes"},
		{Type: "AdaptiveAvgPool-8", Inputs: []string{"f32[1,2,9]", "i64[1]=-3"}, Error: "output_shape[0] is negative: -3"},
		{Type: "AdaptiveMaxPool-8", Attributes: layertest.Attributes{"index_element_type", "u8"}, Inputs: []string{"f32[1,2,9]", "i64[1]"}, Error: "attribute index_element_type: u8 is neither i32 nor i64"},
	})
}

func TestShapes_indices(t *testing.T) {
	op := layertest.FindType(t, Ops, "AdaptiveMaxPool-8")
	in := &ops.Inference{
		Layer:      &ir.Layer{},
		Attributes: maxAttributes{ir.I32},
		Inputs:     []ir.Fact{layertest.Fact(t, "f32[1,2,?]"), layertest.Fact(t, "i64[1]=3")},
		Outputs:    make([]ir.Fact, 2),
	}
	require.NoError(t, op.Infer(in))
	assert.Equal(t, ir.I32, in.Outputs[1].Type)
	assert.Equal(t, "[1,2,3]", in.Outputs[1].Shape.String())
	in.Outputs = make([]ir.Fact, 3)
	assert.EqualError(t, op.Infer(in), "the layer has 3 outputs in the file, its type has 2")
}
