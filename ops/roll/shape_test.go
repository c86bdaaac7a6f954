package roll

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 7, Inputs: []string{"f32[2,?]", "i64[2]", "i32[2]=0,-1"}, Want: "f32[2,?]"},
		{Version: 7, Inputs: []string{"f32[2..3]", "i64[]", "i32[3]"}, Want: "f32[2..3]"},
		{Version: 7, Inputs: []string{"f32[]", "i64[]", "i32[]=0"}, Want: "f32[]"},
		{Version: 7, Inputs: []string{"f32[...]", "i64[...]", "i32[1]=9"}, Want: "f32[...]"},
		{Version: 7, Inputs: []string{"f32[2,3]", "i64[2]", "i32[3]"}, Error: "shift has shape [2], axes has shape [3]"},
		{Version: 7, Inputs: []string{"f32[2,3]", "i64[1,1]", "i32[1]"}, Error: "shift has shape [1,1], not that of a scalar or of a vector"},
		{Version: 7, Inputs: []string{"f32[2,3]", "i64[]", "i32[]=2"}, Error: "axis 2 is outside [-2,1] for rank 2"},
		{Version: 7, Inputs: []string{"f32[2,3]", "i8[]", "i32[]"}, Error: "shift is i8, expected i32 or i64"},
	})
}
