package searchsorted

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 15, Attributes: layertest.Attributes{"right_mode", "true"}, Inputs: []string{"f32[2,?]", "f32[2,5]"}, Want: "i64[2,5]"},
		{Version: 15, Attributes: layertest.Attributes{"output_type", "i32"}, Inputs: []string{"f32[3]", "f32[2,4..5]"}, Want: "i32[2,4..5]"},
		{Version: 15, Inputs: []string{"f32[3]", "f32[]"}, Want: "i64[]"},
		{Version: 15, Inputs: []string{"f32[2..4,3]", "f32[3..9,?]"}, Want: "i64[3..4,?]"},
		{Version: 15, Inputs: []string{"f32[2,3]", "f32[...]"}, Want: "i64[2,?]"},
		{Version: 15, Inputs: []string{"f32[...]", "f32[]"}, Want: "i64[]"},
		{Version: 15, Inputs: []string{"f32[]", "f32[2]"}, Error: "sorted is a scalar, not a sequence"},
		{Version: 15, Inputs: []string{"f32[2,3]", "f32[]"}, Error: "values is a scalar, sorted of shape [2,3] is not one sequence"},
		{Version: 15, Inputs: []string{"f32[2,3]", "f32[3,3]"}, Error: "sorted has shape [2,3], values has shape [3,3], which differs in more than the last axis"},
		{Version: 15, Inputs: []string{"f32[2]", "f16[2]"}, Error: "sorted is f32, values is f16"},
		{Version: 15, Attributes: layertest.Attributes{"output_type", "u8"}, Inputs: []string{"f32[2]", "f32[2]"}, Error: "attribute output_type: u8 is neither i32 nor i64"},
	})
}
