package slicescatter

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	one := "i64[1]=1"
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 15, Inputs: []string{"f32[10,4]", "f32[3,4]", "i64[1]=2", "i64[1]=9", "i64[1]=3"}, Want: "f32[10,4]"},
		{Version: 15, Inputs: []string{"string[10,4]", "string[10,2]", "i32[1]=-1", "u8[1]=1", "i64[1]=-1", "i64[1]=-1"}, Want: "string[10,4]"},
		{Version: 15, Inputs: []string{"f32[0,4]", "f32[0,4]", "i64[0]=", "i64[0]=", "i64[0]="}, Want: "f32[0,4]"},

		{Version: 15, Inputs: []string{"f32[2]", "f32[1,1]", one, one, one}, Error: "data has shape [2], updates has [1,1], of another rank"},
		{Version: 15, Inputs: []string{"f32[]", "f32[...]", one, one, one}, Error: "data is a scalar, which has no axis to slice"},
		{Version: 15, Inputs: []string{"f32[...]", "f32[]", one, one, one}, Error: "data is a scalar, which has no axis to slice"},
		{Version: 15, Inputs: []string{"f32[2]", "f32[?]", "f32[1]", one, one}, Error: "start is f32, not a type of integers"},
		{Version: 15, Inputs: []string{"f32[2]", "f32[?]", one, "i64[]", one}, Error: "stop has shape [], expected rank 1"},
		{Version: 15, Inputs: []string{"f32[...]", "f32[?]", "i64[2]", "i64[2]", "i64[2]"}, Error: "start has 2 elements, data has 1 axes"},
		{Version: 15, Inputs: []string{"f32[2,2]", "f32[?,?]", "i64[2]", "i64[1]", "i64[?]"}, Error: "start has shape [2], stop has [1]"},
		{Version: 15, Inputs: []string{"f32[...]", "f32[...]", "i64[1]", "i64[1]", "i64[1]=0"}, Error: "step[0] is 0"},
		{Version: 15, Inputs: []string{"f32[2]", "f32[?]", one, one, one, one}, Error: "axis 1 is outside [-1,0] for rank 1"},
		{Version: 15, Inputs: []string{"f32[10,4]", "f32[2,4]", "i64[1]=2", "i64[1]=9", "i64[1]=3"}, Error: "updates has shape [2,4], the piece of data has [3,4]"},
		{Version: 15, Inputs: []string{"f32[10,4]", "f32[2,5]", "i64[1]", one, one}, Error: "updates has shape [2,5], the piece of data has [..10,4]"},

		{Version: 15, Inputs: []string{"f32[?,4]", "f32[3,4]", "i64[1]=-3", "i64[1]=9223372036854775807", one}, Want: "f32[?,4]"},
		{Version: 15, Inputs: []string{"f32[3..9,4]", "f32[?,..5]", "i64[1]=0", "i64[1]=9", one}, Want: "f32[3..9,4]"},
		{Version: 15, Inputs: []string{"f32[10,4]", "f32[7,1]", "i64[1]", one, one, "i64[1]"}, Want: "f32[10,4]"},
		{Version: 15, Inputs: []string{"f32[...]", "f32[2,4]", one, one, one, "i64[1]=7"}, Want: "f32[?,?]"},
		{Version: 15, Inputs: []string{"f32[...]", "f32[...]", "i64[...]", "i64[?]", one}, Want: "f32[...]"},
	})
}
