package bucketize

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 3, Attributes: layertest.Attributes{"output_type", "i64"}, Inputs: []string{"f32[2,?]", "i32[3]"}, Want: "i64[2,?]"},
		{Version: 3, Attributes: layertest.Attributes{"output_type", "i32", "with_right_bound", "false"}, Inputs: []string{"u8[2..3]", "f16[...]"}, Want: "i32[2..3]"},
		{Version: 3, Attributes: layertest.Attributes{"output_type", "i32"}, Inputs: []string{"u8[...]", "f16[?]"}, Want: "i32[...]"},
		{Version: 3, Attributes: layertest.Attributes{"output_type", "i32"}, Inputs: []string{"u8[2]", "f16[1,1]"}, Error: "buckets has shape [1,1], expected rank 1"},
		{Version: 3, Attributes: layertest.Attributes{"output_type", "i32"}, Inputs: []string{"boolean[2]", "f16[1]"}, Error: "data is boolean, not a type of numbers"},
		{Version: 3, Attributes: layertest.Attributes{"output_type", "i32"}, Inputs: []string{"f32[2]", "string[1]"}, Error: "buckets is string, not a type of numbers"},
		{Version: 3, Attributes: layertest.Attributes{"output_type", "f32"}, Inputs: []string{"f32[2]", "f32[1]"}, Error: "attribute output_type: f32 is neither i32 nor i64"},
		{Version: 3, Inputs: []string{"f32[2]", "f32[1]"}, Error: "attribute output_type: dynamic is neither i32 nor i64"},
	})
}
