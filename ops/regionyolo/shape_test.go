package regionyolo

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	type at = layertest.Attributes
	flat := func(axis, end string) at {
		return at{"do_softmax", "true", "axis", axis, "end_axis", end, "classes", "3", "coords", "4", "num", "2"}
	}
	masked := at{"do_softmax", "false", "classes", "3", "coords", "4", "mask", "0,1", "axis", "9"}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Attributes: flat("1", "3"), Inputs: []string{"f32[1,14,5,6]"}, Want: "f32[1,420]"},
		{Version: 1, Attributes: flat("-3", "-2"), Inputs: []string{"f16[1,14,5,6]"}, Want: "f16[1,70,6]"},
		{Version: 1, Attributes: flat("3", "1"), Inputs: []string{"f32[1,14,5,6]"}, Want: "f32[1,14,5,6]"},
		{Version: 1, Attributes: flat("1", "3"), Inputs: []string{"f32[1..2,2,3..,4]"}, Want: "f32[1..2,24..]"},
		{Version: 1, Attributes: masked, Inputs: []string{"f32[1..2,?,3..,4]"}, Want: "f32[1..2,16,3..,4]"},
		{Version: 1, Inputs: []string{"f32[1,14,5,6]"}, Want: "f32[1,0,5,6]"},
		{Version: 1, Attributes: masked, Inputs: []string{"f32[...]"}, Want: "f32[...]"},

		{Version: 1, Attributes: masked, Inputs: []string{"f32[1,14,5]"}, Error: "data has shape [1,14,5], expected rank 4"},
		{Version: 1, Attributes: masked, Inputs: []string{"i32[1,14,5,6]"}, Error: "data is i32, expected a floating-point type"},
		{Version: 1, Attributes: flat("4", "3"), Inputs: []string{"f32[1,14,5,6]"}, Error: "axis 4 is outside [-4,3] for rank 4"},
		{Version: 1, Attributes: flat("1", "-5"), Inputs: []string{"f32[1,14,5,6]"}, Error: "end_axis: axis -5 is outside [-4,3] for rank 4"},
		{Version: 1, Attributes: at{"classes", "-1"}, Inputs: []string{"f32[1,14,5,6]"}, Error: "attribute classes: -1 is outside [0,1073741824]"},
	})
}
