package topk

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
		{Version: 3, Attributes: layertest.Attributes{"axis", "1", "mode", "max", "sort", "value"}, Inputs: []string{"f32[4,5]", "i64[]=2"}, Want: "f32[4,2]"},
		{Version: 1, Attributes: layertest.Attributes{"axis", "1", "mode", "max", "sort", "value"}, Inputs: []string{"string[4,?]", "i8[]=0"}, Want: "string[4,0]"},
		{Version: 11, Attributes: layertest.Attributes{"axis", "1", "mode", "max", "sort", "value"}, Inputs: []string{"f32[4,5]", "u16[]=9"}, Want: "f32[4,9]"},
		{Version: 3, Attributes: layertest.Attributes{"axis", "-2", "mode", "min", "sort", "none"}, Inputs: []string{"f32[4,5]", "i64[...]"}, Want: "f32[..4,5]"},
		{Version: 3, Attributes: layertest.Attributes{"axis", "1", "mode", "max", "sort", "value"}, Inputs: []string{"f32[4,2..7]", "i64[]=2..3"}, Want: "f32[4,2..3]"},
		{Version: 3, Attributes: layertest.Attributes{"axis", "1", "mode", "max", "sort", "value"}, Inputs: []string{"f32[4,2..7]", "i64[]=5..9"}, Want: "f32[4,2..7]"},
		{Version: 3, Attributes: layertest.Attributes{"axis", "1", "mode", "max", "sort", "value"}, Inputs: []string{"f32[4,5]", "i64[]=?"}, Want: "f32[4,..5]"},
		{Version: 3, Attributes: layertest.Attributes{"axis", "1", "mode", "max", "sort", "value"}, Inputs: []string{"f32[4,2..]", "i64[]=1..3"}, Want: "f32[4,1..]"},
		{Version: 3, Attributes: layertest.Attributes{"axis", "1", "mode", "max", "sort", "value"}, Inputs: []string{"f32[4,2..]", "i64[]"}, Want: "f32[4,?]"},
		{Version: 3, Attributes: layertest.Attributes{"axis", "1", "mode", "max", "sort", "value"}, Inputs: []string{"f32[...]", "i64[]=2"}, Want: "f32[...]"},
		{Version: 3, Attributes: layertest.Attributes{"axis", "1", "mode", "max", "sort", "value"}, Inputs: []string{"f32[]", "i64[]=2"}, Error: "data is a scalar, which has no axis"},
		{Version: 3, Attributes: layertest.Attributes{"axis", "1", "mode", "max", "sort", "value"}, Inputs: []string{"f32[4]", "i64[]=2"}, Error: "axis 1 is outside [-1,0] for rank 1"},
		{Version: 3, Attributes: layertest.Attributes{"axis", "1", "mode", "max", "sort", "value"}, Inputs: []string{"f32[4,5]", "i64[1]=2"}, Error: "k has shape [1], expected rank 0"},
		{Version: 3, Attributes: layertest.Attributes{"axis", "1", "mode", "max", "sort", "value"}, Inputs: []string{"f32[4,5]", "i64[]=-2"}, Error: "k is negative: -2"},
		{Version: 3, Attributes: layertest.Attributes{"axis", "1", "mode", "max", "sort", "value"}, Inputs: []string{"f32[4,5]", "f32[]"}, Error: "k is f32, not a type of integers"},
		{Version: 1, Attributes: layertest.Attributes{"axis", "1", "mode", "max", "sort", "value"}, Inputs: []string{"f32[4,5]", "i16[]"}, Error: "k is i16, expected i8, i32 or i64"},
		{Version: 3, Attributes: layertest.Attributes{"axis", "1", "mode", "least", "sort", "value"}, Inputs: []string{"f32[4,5]", "i64[]"}, Error: "attribute mode: \"least\" is none of max, min"},
		{Version: 3, Attributes: layertest.Attributes{"axis", "1", "mode", "max", "sort", "value", "index_element_type", "u8"}, Inputs: []string{"f32[4,5]", "i64[]"}, Error: "attribute index_element_type: u8 is neither i32 nor i64"},
		{Version: 11, Attributes: layertest.Attributes{"axis", "1", "mode", "max", "sort", "none", "stable", "true"}, Inputs: []string{"f32[4,5]", "i64[]"}, Error: "attribute stable: elements without an order cannot keep it: sort is none"},
		{Version: 3, Attributes: layertest.Attributes{"axis", "0", "mode", "max", "sort", "value"}, Inputs: []string{"i64[4]=3,9,3,5", "i64[]=3"}, Want: "i64[3]=9,5,3"},
		{Version: 3, Attributes: layertest.Attributes{"axis", "0", "mode", "min", "sort", "index"}, Inputs: []string{"i64[4]=3,9,3,5", "i64[]=3"}, Want: "i64[3]=3,3,5"},
		{Version: 3, Attributes: layertest.Attributes{"axis", "0", "mode", "max", "sort", "value"}, Inputs: []string{"i64[2,2]=1,2,3,0", "i64[]=1"}, Want: "i64[1,2]=3,2"},
		{Version: 3, Attributes: layertest.Attributes{"axis", "1", "mode", "max", "sort", "value"}, Inputs: []string{"i64[2,2]=1,2,3,0", "i64[]=1"}, Want: "i64[2,1]=2,3"},
		{Version: 3, Attributes: layertest.Attributes{"axis", "0", "mode", "max", "sort", "value"}, Inputs: []string{"i64[4]=3,9,3,5..6", "i64[]=3"}, Want: "i64[3]"},
		{Version: 3, Attributes: layertest.Attributes{"axis", "0", "mode", "max", "sort", "none"}, Inputs: []string{"i64[4]=3,9,3,5", "i64[]=3"}, Want: "i64[3]"},
		{Version: 3, Attributes: layertest.Attributes{"axis", "0", "mode", "max", "sort", "value"}, Inputs: []string{"i64[2]=3,9", "i64[]=3"}, Want: "i64[3]"},
	})
}

func TestIndices(t *testing.T) {
	at := layertest.Attributes{"axis", "1", "mode", "max", "sort", "value", "index_element_type", "i64"}
	got, err := layertest.InferOutputs(t, layertest.Find(t, Ops, 3), at, 2, "i32[2,3]=5,7,7,1,0,2", "i64[]=2")
	require.NoError(t, err)
	assert.Equal(t, []string{"i32[2,2]=7,7,2,1", "i64[2,2]=1,2,2,0"}, got)
	got, err = layertest.InferOutputs(t, layertest.Find(t, Ops, 11), at, 2, "i8[2,3]=5,7,7,1,0,2", "i64[]=2")
	require.NoError(t, err)
	assert.Equal(t, []string{"i8[2,2]", "i64[2,2]"}, got, "OpenVINO does not evaluate i8")
}

func TestKBeyondInt64(t *testing.T) {
	k, err := ir.TensorOf(ir.U64, ir.Shape{}, []uint64{1 << 63})
	require.NoError(t, err)
	in := &ops.Inference{
		Attributes: attributes{},
		Inputs:     []ir.Fact{{Type: ir.F32, Shape: ir.StaticShape(2)}, {Type: ir.U64, Tensor: k}},
		Outputs:    make([]ir.Fact, 2),
	}
	assert.EqualError(t, layertest.Find(t, Ops, 3).Infer(in), "k: element 0 is 9223372036854775808, beyond int64")
}
