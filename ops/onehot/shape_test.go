package onehot

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Attributes: layertest.Attributes{"axis", "-1"}, Inputs: []string{"i64[2,3]", "i64[]=4", "i8[]", "i8[]"}, Want: "i8[2,3,4]"},
		{Version: 1, Attributes: layertest.Attributes{"axis", "0"}, Inputs: []string{"i64[?,2..3]", "i32[]=4", "i8[]", "i8[]"}, Want: "i8[4,?,2..3]"},
		{Version: 16, Attributes: layertest.Attributes{"axis", "1"}, Inputs: []string{"i64[2]", "i64[]=2..5", "i8[]", "i8[]"}, Want: "i8[2,2..5]"},
		{Version: 16, Attributes: layertest.Attributes{"axis", "1"}, Inputs: []string{"i64[2]", "i64[]", "i8[]", "i8[]"}, Want: "i8[2,?]"},
		{Version: 1, Attributes: layertest.Attributes{"axis", "7"}, Inputs: []string{"i64[...]", "i64[]=4", "i8[]", "i8[]"}, Want: "i8[...]"},
		{Version: 1, Attributes: layertest.Attributes{"axis", "0"}, Inputs: []string{"i64[]", "i64[]=4", "dynamic[?]", "i8[]"}, Want: "dynamic[4]"},
		{Version: 1, Attributes: layertest.Attributes{"axis", "2"}, Inputs: []string{"i64[2]", "i64[]=4", "i8[]", "i8[]"}, Error: "axis 2 is outside [-2,1] for rank 2"},
		{Version: 1, Attributes: layertest.Attributes{"axis", "0"}, Inputs: []string{"f32[2]", "i64[]=4", "i8[]", "i8[]"}, Error: "indices is f32, not a type of integers"},
		{Version: 1, Attributes: layertest.Attributes{"axis", "0"}, Inputs: []string{"i64[2]", "f32[]", "i8[]", "i8[]"}, Error: "depth is f32, not a type of integers"},
		{Version: 1, Attributes: layertest.Attributes{"axis", "0"}, Inputs: []string{"i64[2]", "i64[1]=4", "i8[]", "i8[]"}, Error: "depth has shape [1], not that of a scalar"},
		{Version: 1, Attributes: layertest.Attributes{"axis", "0"}, Inputs: []string{"i64[2]", "i64[]=4", "i8[2]", "i8[]"}, Error: "on_value has shape [2], not that of a scalar"},
		{Version: 1, Attributes: layertest.Attributes{"axis", "0"}, Inputs: []string{"i64[2]", "i64[]=4", "i8[]", "u8[]"}, Error: "on_value is i8, off_value is u8"},
		{Version: 1, Attributes: layertest.Attributes{"axis", "0"}, Inputs: []string{"i64[2]", "i64[]=-1", "i8[]", "i8[]"}, Error: "depth is negative: -1"},
		{Version: 16, Attributes: layertest.Attributes{"axis", "0", "negative_indices_mode", "wrap"}, Inputs: []string{"i64[2]", "i64[]=4", "i8[]", "i8[]"}, Error: "attribute negative_indices_mode: \"wrap\" is none of ignore_negative, normalize"},
		{Version: 1, Attributes: layertest.Attributes{"axis", "1"}, Inputs: []string{"i64[2]=2,-1", "i64[]=3", "i64[]=7", "i64[]=8"}, Want: "i64[2,3]=8,8,7,8,8,8"},
		{Version: 16, Attributes: layertest.Attributes{"axis", "0", "negative_indices_mode", "normalize"}, Inputs: []string{"i64[2]=2,-2", "i64[]=3", "i64[]=7", "i64[]=8"}, Want: "i64[3,2]=8,8,8,7,7,8"},
		{Version: 1, Attributes: layertest.Attributes{"axis", "1"}, Inputs: []string{"i64[2]=2,0..1", "i64[]=3", "i64[]=7", "i64[]=8"}, Want: "i64[2,3]"},
	})
}
