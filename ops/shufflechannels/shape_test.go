package shufflechannels

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Attributes: layertest.Attributes{"group", "2"}, Inputs: []string{"f32[1,4,?]"}, Want: "f32[1,4,?]"},
		{Version: 1, Attributes: layertest.Attributes{"axis", "-1", "group", "3"}, Inputs: []string{"f32[1,4..5]"}, Want: "f32[1,4..5]"},
		{Version: 1, Attributes: layertest.Attributes{"axis", "9", "group", "3"}, Inputs: []string{"f32[...]"}, Want: "f32[...]"},
		{Version: 1, Attributes: layertest.Attributes{"group", "3"}, Inputs: []string{"f32[1,4]"}, Error: "axis 1 of data of shape [1,4] is no multiple of group 3"},
		{Version: 1, Attributes: layertest.Attributes{"axis", "2"}, Inputs: []string{"f32[1,4]"}, Error: "axis 2 is outside [-2,1] for rank 2"},
		{Version: 1, Attributes: layertest.Attributes{"axis", "0"}, Inputs: []string{"f32[]"}, Error: "data is a scalar, which has no axis"},
		{Version: 1, Attributes: layertest.Attributes{"group", "0"}, Inputs: []string{"f32[...]"}, Error: "attribute group: 0 is below 1"},
		{Version: 1, Attributes: layertest.Attributes{"axis", "0", "group", "2"}, Inputs: []string{"i64[6]=0,1,2,3,4,5"}, Want: "i64[6]=0,3,1,4,2,5"},
		{Version: 1, Attributes: layertest.Attributes{"axis", "1", "group", "2"}, Inputs: []string{"i64[2,4]=0,1,2,3,4,5,6,7"}, Want: "i64[2,4]=0,2,1,3,4,6,5,7"},
		{Version: 1, Attributes: layertest.Attributes{"axis", "0", "group", "2"}, Inputs: []string{"i64[2]=0,1..2"}, Want: "i64[2]"},
	})
}
