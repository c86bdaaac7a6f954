package reverse

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Attributes: layertest.Attributes{"mode", "index"}, Inputs: []string{"f32[2,?]", "i32[2]=0,1"}, Want: "f32[2,?]"},
		{Version: 1, Attributes: layertest.Attributes{"mode", "index"}, Inputs: []string{"f32[2..3]", "i32[?]"}, Want: "f32[2..3]"},
		{Version: 1, Attributes: layertest.Attributes{"mode", "mask"}, Inputs: []string{"f32[2,3]", "boolean[2]"}, Want: "f32[2,3]"},
		{Version: 1, Attributes: layertest.Attributes{"mode", "mask"}, Inputs: []string{"f32[...]", "boolean[5]"}, Want: "f32[...]"},
		{Version: 1, Attributes: layertest.Attributes{"mode", "index"}, Inputs: []string{"f32[2]", "i32[]"}, Error: "reversed_axes has shape [], expected rank 1"},
		{Version: 1, Attributes: layertest.Attributes{"mode", "index"}, Inputs: []string{"f32[2]", "i32[1]=1"}, Error: "reversed_axes[0] is 1, data of shape [2] has 1 axes"},
		{Version: 1, Attributes: layertest.Attributes{"mode", "index"}, Inputs: []string{"f32[]", "i32[1]=-1"}, Error: "reversed_axes[0] is -1, data of shape [] has 0 axes"},
		{Version: 1, Attributes: layertest.Attributes{"mode", "mask"}, Inputs: []string{"f32[2]", "boolean[2]"}, Error: "reversed_axes has shape [2], data of shape [2] has 1 axes"},
		{Version: 1, Attributes: layertest.Attributes{"mode", "mask"}, Inputs: []string{"f32[2]", "i32[1]"}, Error: "reversed_axes is i32, expected boolean in mode mask"},
		{Version: 1, Attributes: layertest.Attributes{"mode", "index"}, Inputs: []string{"f32[2]", "boolean[1]"}, Error: "reversed_axes is boolean, not a type of integers"},
		{Version: 1, Attributes: layertest.Attributes{"mode", "all"}, Inputs: []string{"f32[2]", "i32[1]"}, Error: "attribute mode: \"all\" is none of index, mask"},
		{Version: 1, Attributes: layertest.Attributes{"mode", "index"}, Inputs: []string{"i64[2,2]=1,2,3,4", "i32[1]=1"}, Want: "i64[2,2]=2,1,4,3"},
		{Version: 1, Attributes: layertest.Attributes{"mode", "index"}, Inputs: []string{"i64[2,2]=1,2,3,4", "i32[2]=0,-1"}, Want: "i64[2,2]=4,3,2,1"},
		{Version: 1, Attributes: layertest.Attributes{"mode", "mask"}, Inputs: []string{"i64[2,2]=1,2,3,4", "boolean[2]=1,0"}, Want: "i64[2,2]=3,4,1,2"},
		{Version: 1, Attributes: layertest.Attributes{"mode", "index"}, Inputs: []string{"i64[2]=1,2", "i32[1]=-2"}, Want: "i64[2]"},
		{Version: 1, Attributes: layertest.Attributes{"mode", "index"}, Inputs: []string{"i64[2]=1,2..3", "i32[1]=0"}, Want: "i64[2]"},
	})
}
