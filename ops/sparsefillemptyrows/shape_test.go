package sparsefillemptyrows

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	for _, c := range []struct{ inputs, want []string }{
		{[]string{"f32[3]", "i64[2]=5,4", "i64[3,2]=0,0,0,3,2,1", "f32[]"}, []string{"i64[6,2]", "f32[6]", "boolean[5]"}},
		{[]string{"string[?]", "i32[2]=5,4", "i32[1,2]=0,0", "string[]"}, []string{"i32[5,2]", "string[4..]", "boolean[5]"}},
		{[]string{"f32[3]", "i64[2]=5,4", "i64[3,2]", "f32[...]"}, []string{"i64[?,2]", "f32[?]", "boolean[5]"}},
		{[]string{"f32[3]", "i64[2]=5,1..4", "i64[3,2]=0,0,0,3,2,1", "f32[]"}, []string{"i64[?,2]", "f32[?]", "boolean[?]"}},
		{[]string{"f32[3]", "i64[...]", "i64[4,2]", "f32[]"}, []string{"i64[?,2]", "f32[?]", "boolean[?]"}},
		{[]string{"f32[...]", "dynamic[...]", "i64[...]", "f32[]"}, []string{"i64[?,2]", "f32[?]", "boolean[?]"}},
		{[]string{"f32[0]", "i64[2]=0,4", "i64[0,2]=", "f32[]"}, []string{"i64[0,2]", "f32[0]", "boolean[0]"}},
	} {
		got, err := layertest.InferOutputs(t, &Ops[0], nil, 3, c.inputs...)
		require.NoError(t, err, c.inputs)
		assert.Equal(t, c.want, got, c.inputs)
	}
}

func TestRefused(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 16, Inputs: []string{"f32[]", "i64[2]", "i64[3,2]", "f32[]"}, Error: "values has shape [], expected rank 1"},
		{Version: 16, Inputs: []string{"f32[3]", "i64[3]", "i64[3,2]", "f32[]"}, Error: "dense_shape has shape [3], expected [2]"},
		{Version: 16, Inputs: []string{"f32[3]", "i64[2]", "i64[3,3]", "f32[]"}, Error: "indices has shape [3,3], expected [?,2]"},
		{Version: 16, Inputs: []string{"f32[3]", "i64[2]", "i64[4,2]", "f32[]"}, Error: "indices has shape [4,2], values has shape [3]"},
		{Version: 16, Inputs: []string{"f32[3]", "i64[2]", "i64[3,2]", "f32[1]"}, Error: "default_value has shape [1], expected rank 0"},
		{Version: 16, Inputs: []string{"f32[3]", "i64[2]", "i32[3,2]", "f32[]"}, Error: "dense_shape is i64, indices is i32"},
		{Version: 16, Inputs: []string{"f32[3]", "u8[2]", "u8[3,2]", "f32[]"}, Error: "indices is u8, expected i32 or i64"},
		{Version: 16, Inputs: []string{"f32[1]", "i64[2]=2,2", "i64[1,2]=2,0", "f32[]"}, Error: "indices[0] is [2,0], outside of dense_shape [2 2]"},
		{Version: 16, Inputs: []string{"f32[1]", "i64[2]=2,2", "i64[1,2]=1,-1", "f32[]"}, Error: "indices[0] is [1,-1], outside of dense_shape [2 2]"},
		{Version: 16, Inputs: []string{"f32[1]", "i64[2]=2,-2", "i64[1,2]", "f32[]"}, Error: "dense_shape is [2 -2], which no matrix has"},
	})
}
