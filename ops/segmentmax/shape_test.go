package segmentmax

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 16, Attributes: layertest.Attributes{"fill_mode", "zero"}, Inputs: []string{"f32[4,?]", "i64[4]=0,1,1,4"}, Want: "f32[5,?]"},
		{Version: 16, Attributes: layertest.Attributes{"fill_mode", "lowest"}, Inputs: []string{"f32[4,2..3]", "i64[?]"}, Want: "f32[?,2..3]"},
		{Version: 16, Attributes: layertest.Attributes{"fill_mode", "zero"}, Inputs: []string{"f32[4,3]", "i64[4]=0,1,1,4", "i32[]=2"}, Want: "f32[2,3]"},
		{Version: 16, Attributes: layertest.Attributes{"fill_mode", "zero"}, Inputs: []string{"f32[4,3]", "i64[4]", "i32[]=2..6"}, Want: "f32[2..6,3]"},
		{Version: 16, Attributes: layertest.Attributes{"fill_mode", "zero"}, Inputs: []string{"f32[4,3]", "i64[4]=0,1,1,4", "i32[]"}, Want: "f32[?,3]"},
		{Version: 16, Attributes: layertest.Attributes{"fill_mode", "zero"}, Inputs: []string{"f32[0,3]", "i64[0]="}, Want: "f32[0,3]"},
		{Version: 16, Attributes: layertest.Attributes{"fill_mode", "zero"}, Inputs: []string{"f32[...]", "i64[4]=0,1,1,4"}, Want: "f32[...]"},
		{Version: 16, Attributes: layertest.Attributes{"fill_mode", "zero"}, Inputs: []string{"f32[]", "i64[1]"}, Error: "data is a scalar, which has no rows"},
		{Version: 16, Attributes: layertest.Attributes{"fill_mode", "zero"}, Inputs: []string{"f32[4]", "i64[3]"}, Error: "segment_ids has shape [3], data of shape [4] has another number of rows"},
		{Version: 16, Attributes: layertest.Attributes{"fill_mode", "zero"}, Inputs: []string{"f32[2]", "i64[2]=1,0"}, Error: "segment_ids is not sorted: element 1 is 0, behind 1"},
		{Version: 16, Attributes: layertest.Attributes{"fill_mode", "zero"}, Inputs: []string{"f32[2]", "i64[2]=-2,-1"}, Want: "f32[0]"},
		{Version: 16, Attributes: layertest.Attributes{"fill_mode", "zero"}, Inputs: []string{"f32[2]", "i64[1,2]"}, Error: "segment_ids has shape [1,2], expected rank 1"},
		{Version: 16, Attributes: layertest.Attributes{"fill_mode", "zero"}, Inputs: []string{"f32[2]", "i64[2]", "i64[1]"}, Error: "num_segments has shape [1], expected rank 0"},
		{Version: 16, Attributes: layertest.Attributes{"fill_mode", "zero"}, Inputs: []string{"f32[2]", "i64[2]", "i64[]=-3"}, Error: "num_segments is negative: -3"},
		{Version: 16, Attributes: layertest.Attributes{"fill_mode", "zero"}, Inputs: []string{"f32[2]", "u8[2]"}, Error: "segment_ids is u8, expected i32 or i64"},
		{Version: 16, Attributes: layertest.Attributes{"fill_mode", "zero"}, Inputs: []string{"f32[2]", "i64[2]", "u8[]"}, Error: "num_segments is u8, expected i32 or i64"},
		{Version: 16, Attributes: layertest.Attributes{"fill_mode", "most"}, Inputs: []string{"f32[2]", "i64[2]"}, Error: "attribute fill_mode: \"most\" is none of zero, lowest"},
	})
}
