package eye

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 9, Attributes: layertest.Attributes{"output_type", "f32"}, Inputs: []string{"i64[]=2", "i32[1]=3", "i64[]"}, Want: "f32[2,3]"},
		{Version: 9, Attributes: layertest.Attributes{"output_type", "f32"}, Inputs: []string{"i64[]=2..4", "i32[?]", "i64[...]"}, Want: "f32[2..4,?]"},
		{Version: 9, Attributes: layertest.Attributes{"output_type", "f32"}, Inputs: []string{"i64[]=2", "i32[]=3", "i64[]", "i32[2]=5,..6"}, Want: "f32[5,..6,2,3]"},
		{Version: 9, Attributes: layertest.Attributes{"output_type", "f32"}, Inputs: []string{"i64[]=2", "i32[]=3", "i64[]", "i32[2]"}, Want: "f32[?,?,2,3]"},
		{Version: 9, Attributes: layertest.Attributes{"output_type", "f32"}, Inputs: []string{"i64[]=2", "i32[]=3", "i64[]", "i32[..2]"}, Want: "f32[...]"},
		{Version: 9, Attributes: layertest.Attributes{"output_type", "f32"}, Inputs: []string{"i64[]=2", "i32[]=3", "i64[]", "i32[...]"}, Want: "f32[...]"},
		{Version: 9, Attributes: layertest.Attributes{"output_type", "f32"}, Inputs: []string{"i64[]=2", "i32[]=3", "i64[]", "i32[65]"}, Error: "batch_shape has 65 elements: 65 axes are more than the limit of 64"},
		{Version: 9, Attributes: layertest.Attributes{"output_type", "f32"}, Inputs: []string{"i64[2]", "i32[]", "i64[]"}, Error: "num_rows has shape [2], not that of a scalar or of one element"},
		{Version: 9, Attributes: layertest.Attributes{"output_type", "f32"}, Inputs: []string{"i64[]", "i32[]", "i64[]", "i64[1,1]"}, Error: "batch_shape has shape [1,1], expected rank 1"},
		{Version: 9, Attributes: layertest.Attributes{"output_type", "f32"}, Inputs: []string{"i64[]", "i32[]=-2", "i64[]"}, Error: "num_columns is negative: -2"},
		{Version: 9, Attributes: layertest.Attributes{"output_type", "f32"}, Inputs: []string{"i64[]", "i32[]", "i64[]", "i64[1]=-2"}, Error: "batch_shape[0] is negative: -2"},
		{Version: 9, Attributes: layertest.Attributes{"output_type", "f32"}, Inputs: []string{"i64[]", "i32[]", "u8[]"}, Error: "diagonal_index is u8, expected i32 or i64"},
		{Version: 9, Attributes: layertest.Attributes{"output_type", "f33"}, Inputs: []string{"i64[]", "i32[]", "i64[]"}, Error: "attribute output_type: \"f33\" is not an element type"},
		{Version: 9, Attributes: layertest.Attributes{"output_type", "i64"}, Inputs: []string{"i64[]=2", "i32[]=3", "i64[]=1"}, Want: "i64[2,3]=0,1,0,0,0,1"},
		{Version: 9, Attributes: layertest.Attributes{"output_type", "i32"}, Inputs: []string{"i64[]=2", "i32[]=2", "i64[]=-1", "i64[1]=2"}, Want: "i32[2,2,2]=0,0,1,0,0,0,1,0"},
		{Version: 9, Attributes: layertest.Attributes{"output_type", "i32"}, Inputs: []string{"i64[]=2", "i32[]=2", "i64[]"}, Want: "i32[2,2]"},
	})
}
