package randomuniform

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 8, Attributes: layertest.Attributes{"output_type", "f32"}, Inputs: []string{"i64[2]=3,4", "f32[]", "f32[1]"}, Want: "f32[3,4]"},
		{Version: 8, Attributes: layertest.Attributes{"output_type", "f32", "global_seed", "1", "op_seed", "2", "alignment", "pytorch"}, Inputs: []string{"i32[2]=3,2..4", "f32[]", "f32[1]"}, Want: "f32[3,2..4]"},
		{Version: 8, Attributes: layertest.Attributes{"output_type", "f32"}, Inputs: []string{"i64[2]", "f32[]", "f32[1]"}, Want: "f32[?,?]"},
		{Version: 8, Attributes: layertest.Attributes{"output_type", "f32"}, Inputs: []string{"i64[?]", "f32[]", "f32[1]"}, Want: "f32[...]"},
		{Version: 8, Attributes: layertest.Attributes{"output_type", "f32"}, Inputs: []string{"i64[..2]", "f32[]", "f32[1]"}, Want: "f32[?,?]"},
		{Version: 8, Attributes: layertest.Attributes{"output_type", "f32"}, Inputs: []string{"i64[65]", "f32[]", "f32[1]"}, Error: "shape has 65 elements: 65 axes are more than the limit of 64"},
		{Version: 8, Attributes: layertest.Attributes{"output_type", "f32"}, Inputs: []string{"i64[..65]", "f32[]", "f32[1]"}, Want: "f32[...]"},
		{Version: 8, Attributes: layertest.Attributes{"output_type", "f32"}, Inputs: []string{"dynamic[...]", "f32[...]", "f32[...]"}, Want: "f32[...]"},
		{Version: 8, Attributes: layertest.Attributes{"output_type", "i64"}, Inputs: []string{"i64[1]=3", "i64[]=3", "i64[]=4"}, Want: "i64[3]"},
		{Version: 8, Attributes: layertest.Attributes{"output_type", "i64"}, Inputs: []string{"i64[1]=3", "i64[]=4", "i64[]=4"}, Error: "minval 4 is not below maxval 4"},
		{Version: 8, Attributes: layertest.Attributes{"output_type", "f32"}, Inputs: []string{"i64[]", "f32[]", "f32[1]"}, Error: "shape has shape [], expected rank 1"},
		{Version: 8, Attributes: layertest.Attributes{"output_type", "f32"}, Inputs: []string{"i8[1]", "f32[]", "f32[1]"}, Error: "shape is i8, expected i32 or i64"},
		{Version: 8, Attributes: layertest.Attributes{"output_type", "f32"}, Inputs: []string{"i64[1]=-1", "f32[]", "f32[1]"}, Error: "shape[0] is negative: -1"},
		{Version: 8, Attributes: layertest.Attributes{"output_type", "f32"}, Inputs: []string{"i64[1]", "f32[2]", "f32[]"}, Error: "minval has shape [2], not that of a scalar or of one element"},
		{Version: 8, Attributes: layertest.Attributes{"output_type", "f32"}, Inputs: []string{"i64[1]", "f32[]", "f16[]"}, Error: "maxval is f16, output_type is f32"},
		{Version: 8, Attributes: layertest.Attributes{"output_type", "u8"}, Inputs: []string{"i64[1]", "u8[]", "u8[]"}, Error: "attribute output_type: u8 is neither a type of floats nor i32 or i64"},
		{Version: 8, Attributes: layertest.Attributes{"output_type", "f32", "alignment", "jax"}, Inputs: []string{"i64[1]", "f32[]", "f32[1]"}, Error: "attribute alignment: \"jax\" is none of tensorflow, pytorch"},
	})
}
