package spacetobatch

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 2, Inputs: []string{"f32[4,3]", "i64[2]=1,2", "i64[2]=0,1", "i64[2]=0,2"}, Want: "f32[8,3]"},
		{Version: 2, Inputs: []string{"f32[4..7,3..5]", "i64[2]=1,2", "i64[2]=0,1", "i64[2]=0,2"}, Want: "f32[8..14,3..4]"},
		{Version: 2, Inputs: []string{"f32[?,?]", "i64[2]=1,2", "i64[2]=0,1", "i64[2]=0,2"}, Want: "f32[?,2..]"},
		{Version: 2, Inputs: []string{"f32[4,3]", "i64[2]=1,2", "i64[2]=0,1", "i64[2]"}, Want: "f32[8,?]"},
		{Version: 2, Inputs: []string{"f32[4,3]", "i64[2]", "i64[...]", "i64[?]"}, Want: "f32[?,?]"},
		{Version: 2, Inputs: []string{"f32[4,2..3]", "i8[2]=1,2", "i32[2]=0,-1", "i64[2]=0,-5"}, Want: "f32[8,1..]"},
		{Version: 2, Inputs: []string{"f32[...]", "i64[2]=1,2", "i64[2]=0,1", "i64[2]=0,2"}, Want: "f32[...]"},
		{Version: 2, Inputs: []string{"f32[4]", "i64[1]", "i64[1]", "i64[1]"}, Error: "data has shape [4], expected rank 2 or more"},
		{Version: 2, Inputs: []string{"f32[4,3,1]", "i64[2]=1,2", "i64[2]=0,1", "i64[2]=0,2"}, Error: "block_shape has 2 elements, data of shape [4,3,1] has 3 axes"},
		{Version: 2, Inputs: []string{"f32[4,2]", "i64[2]=1,2", "i64[2]=0,1", "i64[2]=0,2"}, Error: "axis 1 of data of shape [4,2] has 5 elements with its pads, no multiple of block_shape[1], which is 2"},
		{Version: 2, Inputs: []string{"f32[4,3]", "i64[2]=1,0", "i64[2]=0,0", "i64[2]=0,0"}, Error: "block_shape[1] is 0, below 1"},
		{Version: 2, Inputs: []string{"f32[4,3]", "i64[2]", "f32[2]", "i64[2]"}, Error: "pads_begin is f32, not a type of integers"},
		{Version: 2, Inputs: []string{"i64[1,2,2]=1,2,3,4", "i64[3]=1,2,1", "i64[3]=0,0,0", "i64[3]=0,0,0"}, Want: "i64[2,1,2]=1,2,3,4"},
		{Version: 2, Inputs: []string{"i64[1,1,3]=1,2,3", "i64[3]=1,1,2", "i64[3]=0,0,1", "i64[3]=0,0,0"}, Want: "i64[2,1,2]=0,2,1,3"},
		{Version: 2, Inputs: []string{"i64[1,2]=1,2", "i64[2]=1,2", "i64[2]=0,0", "i64[2]=0,0"}, Want: "i64[2,1]"},
	})
}
