package reorgyolo

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	two := layertest.Attributes{"stride", "2"}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 2, Attributes: two, Inputs: []string{"f32[1,4,6,8]"}, Want: "f32[1,16,3,4]"},
		{Version: 2, Attributes: two, Inputs: []string{"i8[?,..3,5..6,?]"}, Want: "i8[?,..12,3,?]"},
		{Version: 2, Attributes: layertest.Attributes{"stride", "2,3"}, Inputs: []string{"f32[1,4,6,0]"}, Want: "f32[1,16,3,0]"},
		{Version: 2, Attributes: two, Inputs: []string{"f32[...]"}, Want: "f32[...]"},

		{Version: 2, Attributes: two, Inputs: []string{"f32[1,3,6,8]"}, Error: "data [1,3,6,8] has 3 channels, fewer than the square of stride 2"},
		{Version: 2, Attributes: two, Inputs: []string{"f32[1,4,5,8]"}, Error: "dimension 2 of data [1,4,5,8] is no multiple of stride 2"},
		{Version: 2, Attributes: two, Inputs: []string{"f32[1,4,6]"}, Error: "data has shape [1,4,6], expected rank 4"},
		{Version: 2, Attributes: layertest.Attributes{"stride", "0"}, Inputs: []string{"f32[1,4,6,8]"}, Error: "attribute stride: 0 is outside [1,1073741824]"},
		{Version: 2, Inputs: []string{"f32[1,4,6,8]"}, Error: "attribute stride: missing"},
	})
}
