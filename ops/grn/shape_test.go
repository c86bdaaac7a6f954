package grn

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	bias := layertest.Attributes{"bias", "0.5"}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Attributes: bias, Inputs: []string{"f32[2,3]"}, Want: "f32[2,3]"},
		{Version: 1, Inputs: []string{"f16[2,3..5,?,0]"}, Want: "f16[2,3..5,?,0]"},
		{Version: 1, Attributes: bias, Inputs: []string{"dynamic[...]"}, Want: "dynamic[...]"},
		{Version: 1, Attributes: bias, Inputs: []string{"f32[?]"}, Error: "data has shape [?], expected a rank from 2 to 4"},
		{Version: 1, Attributes: bias, Inputs: []string{"f32[1,2,3,4,5]"}, Error: "data has shape [1,2,3,4,5], expected a rank from 2 to 4"},
		{Version: 1, Attributes: layertest.Attributes{"bias", "one"}, Inputs: []string{"f32[2,3]"}, Error: `attribute bias: "one" is not a number`},
	})
}
