package concat

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	axis := func(n string) layertest.Attributes { return layertest.Attributes{"axis", n} }
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Attributes: axis("1"), Inputs: []string{"f32[2,3]", "f32[2,0]", "f32[2,4]"}, Want: "f32[2,7]"},
		{Version: 1, Attributes: axis("-2"), Inputs: []string{"string[2,3]", "string[1,3]"}, Want: "string[3,3]"},
		{Version: 1, Inputs: []string{"u4[5]"}, Want: "u4[5]"},
		{Version: 1, Inputs: []string{"dynamic[5]", "f16[1]"}, Want: "f16[6]"},
		{Version: 1, Attributes: axis("2"), Inputs: []string{"f32[2,3]"}, Error: "axis 2 is outside [-2,1] for rank 2"},
		{Version: 1, Inputs: []string{"f32[]", "f32[]"}, Error: "axis 0 is outside [0,-1] for rank 0"},
		{Version: 1, Inputs: []string{"f32[2,3]", "f32[2,4]"}, Error: "input 1 is [2,4], the inputs before it are [?,3] but for axis 0"},
		{Version: 1, Inputs: []string{"f32[2,3]", "f32[2]"}, Error: "input 1 is [2], the inputs before it are [?,3] but for axis 0"},
		{Version: 1, Inputs: []string{"f32[2]", "i32[2]"}, Error: "input 1 is i32, the inputs before it are f32"},

		{Version: 1, Inputs: []string{"f32[?,3]", "f32[2..4,?]"}, Want: "f32[2..,3]"},
		{Version: 1, Inputs: []string{"f32[1..2,2..5]", "f32[3,4..]"}, Want: "f32[4..5,4..5]"},
		{Version: 1, Inputs: []string{"f32[...]", "f32[3,4]"}, Want: "f32[3..,4]"},
		{Version: 1, Inputs: []string{"f32[...]", "f32[...]"}, Want: "f32[...]"},

		{Version: 1, Inputs: []string{"i64[2]=1,2..5", "i64[1]=?"}, Want: "i64[3]=1,2..5,?"},
		{Version: 1, Attributes: axis("1"), Inputs: []string{"i64[2,1]=1,2", "i64[2,2]=3,4,5,6"}, Want: "i64[2,3]=1,3,4,2,5,6"},
		{Version: 1, Inputs: []string{"i64[0]=", "i64[1]=7"}, Want: "i64[1]=7"},
		{Version: 1, Inputs: []string{"i64[1]=1", "i64[1]"}, Want: "i64[2]"},
		{Version: 1, Inputs: []string{"i64[1]=1", "i64[?]"}, Want: "i64[1..]"},
	})
}
