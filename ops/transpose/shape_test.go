package transpose

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Inputs: []string{"f32[2,3,4]", "i64[3]=2,0,1"}, Want: "f32[4,2,3]"},
		{Version: 1, Inputs: []string{"string[2,3,4]", "i32[0]="}, Want: "string[4,3,2]"},
		{Version: 1, Inputs: []string{"u4[0,3]", "u8[2]=1,0"}, Want: "u4[3,0]"},
		{Version: 1, Inputs: []string{"f32[]", "i64[0]="}, Want: "f32[]"},
		{Version: 1, Inputs: []string{"f32[2]", "dynamic[1]"}, Want: "f32[?]"},

		{Version: 1, Inputs: []string{"f32[2,3]", "f32[2]"}, Error: "input_order is f32, not a type of integers"},
		{Version: 1, Inputs: []string{"f32[2,3]", "boolean[2]"}, Error: "input_order is boolean, not a type of integers"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[1,2]"}, Error: "input_order has shape [1,2], expected rank 1"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[]=0"}, Error: "input_order has shape [], expected rank 1"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[3..]"}, Error: "input_order has 3.. elements, arg of shape [2,3] has 2 axes"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[2]=0,2"}, Error: "input_order[1] is 2, outside [0,1]"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[2]=-1,0"}, Error: "input_order[0] is -1, outside [0,1]"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[2]=1,1"}, Error: "input_order[1] is 1, which an element before it is too"},

		{Version: 1, Inputs: []string{"f32[?,3..5,..4]", "i64[3]=2,0,1"}, Want: "f32[..4,?,3..5]"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[2]"}, Want: "f32[?,?]"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[...]"}, Want: "f32[?,?]"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[2]=0..1,1"}, Want: "f32[?,?]"},
		{Version: 1, Inputs: []string{"f32[...]", "i64[2]=7,0"}, Want: "f32[?,?]"},
		{Version: 1, Inputs: []string{"f32[...]", "i64[0]="}, Want: "f32[...]"},
		{Version: 1, Inputs: []string{"f32[...]", "i64[2]"}, Want: "f32[...]"},

		{Version: 1, Inputs: []string{"i64[2,2]=1,2..5,?,7", "i64[2]=1,0"}, Want: "i64[2,2]=1,?,2..5,7"},
		{Version: 1, Inputs: []string{"i64[2,3]=1,2,3,4,5,6", "i64[2]=1,0"}, Want: "i64[3,2]=1,4,2,5,3,6"},
	})
}
