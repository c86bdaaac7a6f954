package batchtospace

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 2, Inputs: []string{"f32[4,3]", "i64[2]=1,2", "i64[2]=0,1", "i64[2]=0,2"}, Want: "f32[2,3]"},
		{Version: 2, Inputs: []string{"f32[4..7,3..5]", "i64[2]=1,2", "i64[2]=0,1", "i64[2]=0,2"}, Want: "f32[2..3,3..7]"},
		{Version: 2, Inputs: []string{"f32[?,2..]", "i64[2]=1,2", "i64[2]=0,1", "i64[2]=0,2"}, Want: "f32[?,1..]"},
		{Version: 2, Inputs: []string{"f32[4,3]", "i64[2]=1,2", "i64[2]=0,1", "i64[2]"}, Want: "f32[2,?]"},
		{Version: 2, Inputs: []string{"f32[4,3]", "i64[2]", "i64[2]=0,1", "i64[2]=0,0"}, Want: "f32[?,2..]"},
		{Version: 2, Inputs: []string{"f32[4,3]", "i64[2]", "i64[...]", "i64[?]"}, Want: "f32[?,?]"},
		{Version: 2, Inputs: []string{"f32[...]", "i64[2]=1,2", "i64[2]=0,1", "i64[2]=0,2"}, Want: "f32[...]"},
		{Version: 2, Inputs: []string{"f32[4]", "i64[1]", "i64[1]", "i64[1]"}, Error: "data has shape [4], expected rank 2 or more"},
		{Version: 2, Inputs: []string{"f32[4,3,1]", "i64[2]=1,2", "i64[2]=0,1", "i64[2]=0,2"}, Error: "block_shape and crops have shape [2], data of shape [4,3,1] has 3 axes"},
		{Version: 2, Inputs: []string{"f32[3,3]", "i64[2]=1,2", "i64[2]=0,1", "i64[2]=0,2"}, Error: "axis 0 of data of shape [3,3] is no multiple of 2, the product of block_shape"},
		{Version: 2, Inputs: []string{"f32[4,1]", "i64[2]=1,2", "i64[2]=0,1", "i64[2]=0,2"}, Error: "crops_begin[1] + crops_end[1] is 3, the axis has 2 elements"},
		{Version: 2, Inputs: []string{"f32[4,3]", "i64[2]=1,0", "i64[2]", "i64[2]"}, Error: "block_shape[1] is 0, below 1"},
		{Version: 2, Inputs: []string{"f32[4,3]", "i64[2]", "i64[2]=0,0", "i64[2]=0,-1"}, Error: "crops_begin[1] is 0, crops_end[1] is -1, neither may be negative"},
		{Version: 2, Inputs: []string{"f32[4,3]", "i64[2]", "i32[2]", "i64[2]"}, Error: "crops_begin is i32, the inputs before it are i64"},
		{Version: 2, Inputs: []string{"f32[4,3]", "f32[2]", "f32[2]", "f32[2]"}, Error: "block_shape is f32, not a type of integers"},
		{Version: 2, Inputs: []string{"i64[4,2]=0,1,2,3,4,5,6,7", "i64[2]=1,2", "i64[2]=0,0", "i64[2]=0,1"}, Want: "i64[2,3]=0,4,1,2,6,3"},
		{Version: 2, Inputs: []string{"i64[4,1,1]=0,1,2,3", "i64[3]=1,2,2", "i64[3]=0,0,1", "i64[3]=0,0,0"}, Want: "i64[1,2,1]=1,3"},
		{Version: 2, Inputs: []string{"i64[4,1,1]=0,1,2,3", "i32[3]=1,2,2", "i32[3]=0,0,1", "i32[3]=0,0,0"}, Want: "i64[1,2,1]"},
	})
}
