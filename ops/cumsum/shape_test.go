package cumsum

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 3, Attributes: layertest.Attributes{"exclusive", "true", "reverse", "true"}, Inputs: []string{"f32[2,?]", "i32[]=1"}, Want: "f32[2,?]"},
		{Version: 3, Inputs: []string{"f32[2..3]", "i64[...]"}, Want: "f32[2..3]"},
		{Version: 3, Inputs: []string{"f32[...]", "i64[]"}, Want: "f32[...]"},
		{Version: 3, Inputs: []string{"f32[2]", "i8[]"}, Error: "axis is i8, expected i32 or i64"},
	})
}
