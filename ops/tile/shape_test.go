package tile

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[2]=2,1"}, Want: "f32[4,3]"},
		{Version: 1, Inputs: []string{"string[2,3]", "i32[1]=4"}, Want: "string[2,12]"},
		{Version: 1, Inputs: []string{"u4[2,3]", "u8[4]=3,1,2,2"}, Want: "u4[3,1,4,6]"},
		{Version: 1, Inputs: []string{"f32[]", "i64[1]=3"}, Want: "f32[3]"},
		{Version: 1, Inputs: []string{"f32[2]", "i64[0]="}, Want: "f32[2]"},
		{Version: 1, Inputs: []string{"f32[6,5]", "i64[2]=4611686018427387904,1"}, Want: "f32[?,5]"},
		{Version: 1, Inputs: []string{"f32[2]", "f32[1]"}, Error: "repeats is f32, not a type of integers"},
		{Version: 1, Inputs: []string{"f32[2]", "i64[1,1]"}, Error: "repeats has shape [1,1], expected rank 1"},
		{Version: 1, Inputs: []string{"f32[2]", "i64[1]=-1..3"}, Error: "repeats[0] is negative: -1"},
		{Version: 1, Inputs: []string{"f32[2]", "i64[1]=-1"}, Error: "repeats[0] is negative: -1"},

		{Version: 1, Inputs: []string{"f32[?,2..3]", "i64[2]=2,2"}, Want: "f32[?,4..6]"},
		{Version: 1, Inputs: []string{"f32[2,..4]", "i64[2]=2,2..3"}, Want: "f32[4,..12]"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[2]=?,2.."}, Want: "f32[?,6..]"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[3]"}, Want: "f32[?,?,?]"},
		{Version: 1, Inputs: []string{"f32[2,3]", "boolean[1]"}, Want: "f32[?,?]"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[?]"}, Want: "f32[...]"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[...]"}, Want: "f32[...]"},
		{Version: 1, Inputs: []string{"f32[...]", "i64[2]=1,2"}, Want: "f32[...]"},

		{Version: 1, Inputs: []string{"i64[2]=1,2..5", "i64[1]=2"}, Want: "i64[4]=1,2..5,1,2..5"},
		{Version: 1, Inputs: []string{"i64[2]=1,2", "i64[2]=2,1"}, Want: "i64[2,2]=1,2,1,2"},
		{Version: 1, Inputs: []string{"i64[]=7", "i64[1]=3"}, Want: "i64[3]=7,7,7"},
		{Version: 1, Inputs: []string{"i64[2,1]=1,2", "i64[2]=1,2"}, Want: "i64[2,2]=1,1,2,2"},
		{Version: 1, Inputs: []string{"i64[1]=7", "i64[1]=0"}, Want: "i64[0]="},
		{Version: 1, Inputs: []string{"i64[1]=7", "i64[1]=4000"}, Want: "i64[4000]"},
	})
}
