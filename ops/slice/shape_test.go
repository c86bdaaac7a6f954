package slice

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	one := "i64[1]=1"
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 8, Inputs: []string{"f32[10,4]", "i64[1]=2", "i64[1]=9", "i64[1]=3"}, Want: "f32[3,4]"},
		{Version: 8, Inputs: []string{"f32[10,4]", "i64[1]=-1", "i64[1]=-100", "i64[1]=-1", "i64[1]=1"}, Want: "f32[10,4]"},
		{Version: 8, Inputs: []string{"f32[10,4]", "i32[2]=-3,1", "i32[2]=100,2", "i32[2]=1,1"}, Want: "f32[3,1]"},
		{Version: 8, Inputs: []string{"f32[10,4]", "u8[2]=0,3", "i64[2]=4,9", "i64[2]=1,2", "i64[2]=-1,0"}, Want: "f32[3,4]"},
		{Version: 8, Inputs: []string{"f32[10]", "i64[1]=5", "i64[1]=5", one}, Want: "f32[0]"},
		{Version: 8, Inputs: []string{"f32[10]", "i64[1]=7", "i64[1]=2", one}, Want: "f32[0]"},
		{Version: 8, Inputs: []string{"f32[0]", "i64[1]=-1", "i64[1]=-5", "i64[1]=-1"}, Want: "f32[0]"},
		{Version: 8, Inputs: []string{"f32[10]", "i64[1]=9223372036854775807", "i64[1]=-9223372036854775808", "i64[1]=-9223372036854775808"}, Want: "f32[1]"},
		{Version: 8, Inputs: []string{"f32[10]", "i64[1]=0", "i64[1]=9223372036854775807", "i64[1]=9223372036854775807"}, Want: "f32[1]"},
		{Version: 8, Inputs: []string{"f32[10,4]", "i64[0]=", "i64[0]=", "i64[0]="}, Want: "f32[10,4]"},

		{Version: 8, Inputs: []string{"f32[10]", "i64[1]=1", "i64[1]=2", "i64[1]=0"}, Error: "step[0] is 0"},
		{Version: 8, Inputs: []string{"f32[10]", one, one, one, one}, Error: "axis 1 is outside [-1,0] for rank 1"},
		{Version: 8, Inputs: []string{"f32[2,2]", "i64[2]=0,0", "i64[2]=1,1", "i64[2]=1,1", "i64[2]=1,-1"}, Error: "axes[1] names axis 1, which an axis before it names too"},
		{Version: 8, Inputs: []string{"f32[2,2]", "i64[2]", "i64[1]", "i64[1]"}, Error: "start has shape [2], stop has [1]"},
		{Version: 8, Inputs: []string{"f32[2]", "i64[2]", "i64[2]", "i64[2]"}, Error: "start has 2 elements, data has 1 axes"},
		{Version: 8, Inputs: []string{"f32[2]", "i64[1,1]", one, one}, Error: "start has shape [1,1], expected rank 1"},
		{Version: 8, Inputs: []string{"f32[2]", one, "f32[1]", one}, Error: "stop is f32, not a type of integers"},
		{Version: 8, Inputs: []string{"f32[]", one, one, one}, Error: "data is a scalar, which has no axis to slice"},

		{Version: 8, Inputs: []string{"f32[?,4]", "i64[1]=1", "i64[1]=9223372036854775807", one}, Want: "f32[?,4]"},
		{Version: 8, Inputs: []string{"f32[4..9]", "i64[1]=1", "i64[1]=-1", one}, Want: "f32[2..7]"},
		{Version: 8, Inputs: []string{"f32[4..9]", "i64[1]=1", "i64[1]=6", "i64[1]=2"}, Want: "f32[2..3]"},
		{Version: 8, Inputs: []string{"f32[?]", "i64[1]=-3", "i64[1]=9223372036854775807", one}, Want: "f32[..3]"},
		{Version: 8, Inputs: []string{"f32[?]", "i64[1]=0", "i64[1]=5", one}, Want: "f32[..5]"},
		{Version: 8, Inputs: []string{"f32[?]", "i64[1]=-1", "i64[1]=-9223372036854775808", "i64[1]=-1"}, Want: "f32[?]"},
		{Version: 8, Inputs: []string{"f32[?]", "i32[1]=0", "i32[1]=2147483647", "i32[1]=1"}, Want: "f32[?]"},
		{Version: 8, Inputs: []string{"f32[3..]", "i32[1]=-1", "i32[1]=2147483647", "i32[1]=2"}, Want: "f32[1]"},
		{Version: 8, Inputs: []string{"f32[3..]", "i32[1]=-1", "i32[1]=-2147483648", "i32[1]=-1"}, Want: "f32[3..]"},
		{Version: 8, Inputs: []string{"f32[?]", "i64[1]=0", "i64[1]=2147483647", one}, Want: "f32[..2147483647]"},
		{Version: 8, Inputs: []string{"f32[10]", "i64[1]=1..3", "i64[1]=7..8", one}, Want: "f32[4..7]"},
		{Version: 8, Inputs: []string{"f32[10]", "i64[1]=0", "i64[1]=2..", one}, Want: "f32[2..10]"},
		{Version: 8, Inputs: []string{"f32[10,4]", "i64[1]", "i64[1]=5", one}, Want: "f32[..10,4]"},
		{Version: 8, Inputs: []string{"f32[10,4]", "i64[1]", one, one, "i64[1]"}, Want: "f32[..10,..4]"},
		{Version: 8, Inputs: []string{"f32[10,4]", "i64[?]", "i64[?]", "i64[...]"}, Want: "f32[..10,..4]"},
		{Version: 8, Inputs: []string{"f32[...]", one, one, one}, Want: "f32[...]"},

		{Version: 8, Inputs: []string{"i64[4]=1,2..5,?,7", "i64[1]=1", "i64[1]=3", one}, Want: "i64[2]=2..5,?"},
		{Version: 8, Inputs: []string{"i64[4]=1,2..5,?,7", "i64[1]=-1", "i64[1]=-9", "i64[1]=-2"}, Want: "i64[2]=7,2..5"},
		{Version: 8, Inputs: []string{"i64[2,2]=1,2,3,4", "i64[1]=1", "i64[1]=2", one, one}, Want: "i64[2,1]=2,4"},
		{Version: 8, Inputs: []string{"i64[2]=1,2", "i64[1]=2", "i64[1]=2", one}, Want: "i64[0]="},
	})
}
