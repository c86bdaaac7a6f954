package ctcgreedydecoderseqlen

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 6, Inputs: []string{"f32[2,5,9]", "i32[2]"}, Want: "i32[2,5]"},
		{Version: 6, Attributes: layertest.Attributes{"merge_repeated", "false", "classes_index_type", "i64"}, Inputs: []string{"f16[?,..5,9]", "i64[2..3]", "i32[]"}, Want: "i64[2..3,..5]"},
		{Version: 6, Inputs: []string{"f32[...]", "i32[...]", "i8[1]"}, Want: "i32[?,?]"},
		{Version: 6, Inputs: []string{"f32[2,5]", "i32[2]"}, Error: "data has shape [2,5], expected rank 3"},
		{Version: 6, Inputs: []string{"f32[2,5,9]", "i32[]"}, Error: "sequence_length has shape [], expected rank 1"},
		{Version: 6, Inputs: []string{"f32[2,5,9]", "i32[3]"}, Error: "data has shape [2,5,9], sequence_length has shape [3]"},
		{Version: 6, Inputs: []string{"f32[2,5,9]", "i32[2]", "i32[2]"}, Error: "blank_index has shape [2], not that of a scalar or of one element"},
		{Version: 6, Inputs: []string{"f32[2,5,9]", "i32[2]", "f32[]"}, Error: "blank_index is f32, not a type of integers"},
		{Version: 6, Attributes: layertest.Attributes{"sequence_length_type", "int"}, Inputs: []string{"f32[2,5,9]", "i32[2]"}, Error: "attribute sequence_length_type: \"int\" is not an element type"},
	})
}

func TestLengths(t *testing.T) {
	got, err := layertest.InferOutputs(t, &Ops[0], layertest.Attributes{"sequence_length_type", "i64"}, 2, "f32[2..4,5,9]", "i32[3]")
	require.NoError(t, err)
	assert.Equal(t, []string{"i32[3,5]", "i64[3]"}, got)
}
