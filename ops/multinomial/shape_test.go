package multinomial

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 13, Attributes: layertest.Attributes{"convert_type", "i32", "with_replacement", "true", "log_probs", "false"}, Inputs: []string{"f32[2,3]", "i64[]=5"}, Want: "i32[2,5]"},
		{Version: 13, Attributes: layertest.Attributes{"convert_type", "i64"}, Inputs: []string{"f16[2..3,?]", "u8[1]=2..4"}, Want: "i64[2..3,2..4]"},
		{Version: 13, Attributes: layertest.Attributes{"convert_type", "i64"}, Inputs: []string{"f16[2..3,?]", "u8[?]"}, Want: "i64[2..3,?]"},
		{Version: 13, Attributes: layertest.Attributes{"convert_type", "i64"}, Inputs: []string{"f16[...]", "i64[]=5"}, Want: "i64[...]"},
		{Version: 13, Attributes: layertest.Attributes{"convert_type", "i64"}, Inputs: []string{"f16[3]", "i64[]=5"}, Error: "probs has shape [3], expected rank 2"},
		{Version: 13, Attributes: layertest.Attributes{"convert_type", "i64"}, Inputs: []string{"f16[2,3]", "i64[2]"}, Error: "num_samples has shape [2], not that of a scalar or of one element"},
		{Version: 13, Attributes: layertest.Attributes{"convert_type", "i64"}, Inputs: []string{"f16[2,3]", "i64[]=-1"}, Error: "num_samples is negative: -1"},
		{Version: 13, Attributes: layertest.Attributes{"convert_type", "i64"}, Inputs: []string{"i8[2,3]", "i64[]"}, Error: "probs is i8, expected a floating-point type"},
		{Version: 13, Attributes: layertest.Attributes{"convert_type", "i64"}, Inputs: []string{"f32[2,3]", "f32[]"}, Error: "num_samples is f32, not a type of integers"},
		{Version: 13, Attributes: layertest.Attributes{"convert_type", "i63"}, Inputs: []string{"f32[2,3]", "i64[]"}, Error: "attribute convert_type: \"i63\" is not an element type"},
	})
}
