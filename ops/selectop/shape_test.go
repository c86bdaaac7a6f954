package selectop

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	none := layertest.Attributes{"auto_broadcast", "none"}
	pdpd := func(axis string) layertest.Attributes {
		return layertest.Attributes{"auto_broadcast", "pdpd", "auto_broadcast.auto_broadcast_axis", axis}
	}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Inputs: []string{"boolean[2,3]", "f32[2,3]", "f32[2,3]"}, Want: "f32[2,3]"},
		{Version: 1, Inputs: []string{"boolean[]", "string[3]", "string[2,1]"}, Want: "string[2,3]"},
		{Version: 1, Inputs: []string{"boolean[4,1,1]", "u4[3]", "u4[0,1]"}, Want: "u4[4,0,3]"},
		{Version: 1, Inputs: []string{"dynamic[]", "dynamic[]", "i8[]"}, Want: "i8[]"},
		{Version: 1, Attributes: none, Inputs: []string{"boolean[2]", "f32[2]", "f32[2]"}, Want: "f32[2]"},
		{Version: 1, Attributes: pdpd("1"), Inputs: []string{"boolean[3]", "f32[2,3,4]", "f32[3,1]"}, Want: "f32[2,3,4]"},
		{Version: 1, Attributes: pdpd("-1"), Inputs: []string{"boolean[]", "f32[2,3]", "f32[3]"}, Want: "f32[2,3]"},

		{Version: 1, Inputs: []string{"u8[]", "f32[]", "f32[]"}, Error: "cond is u8, expected boolean"},
		{Version: 1, Inputs: []string{"boolean[]", "f32[]", "i32[]"}, Error: "then is f32, else is i32"},
		{Version: 1, Inputs: []string{"boolean[]", "f32[2]", "f32[3]"}, Error: "then is [2], else is [3], which do not broadcast"},
		{Version: 1, Inputs: []string{"boolean[4]", "f32[3]", "f32[2,1]"}, Error: "cond is [4], then and else give [2,3], which do not broadcast"},
		{Version: 1, Attributes: none, Inputs: []string{"boolean[]", "f32[2]", "f32[2]"}, Error: "cond is [], then and else give [2], which do not match"},
		{Version: 1, Attributes: pdpd("0"), Inputs: []string{"boolean[2]", "f32[2,3]", "f32[3]"}, Error: "then is [2,3], else is [3], which do not broadcast by PaddlePaddle's rule"},

		{Version: 1, Inputs: []string{"boolean[?]", "f32[2..3,1]", "f32[..4]"}, Want: "f32[2..3,?]"},
		{Version: 1, Attributes: none, Inputs: []string{"boolean[?,3]", "f32[2,?]", "f32[...]"}, Want: "f32[2,3]"},
		{Version: 1, Inputs: []string{"boolean[...]", "f32[2]", "f32[2]"}, Want: "f32[...]"},

		{Version: 1, Inputs: []string{"boolean[2]=1,0", "i64[2]=1..2,3", "i64[]=5..7"}, Want: "i64[2]=1..2,5..7"},
		{Version: 1, Inputs: []string{"boolean[2]=1,?", "i64[2]=1,3", "i64[]=5"}, Want: "i64[2]"},
		{Version: 1, Attributes: pdpd("0"), Inputs: []string{"boolean[2]=1,0", "i64[2,2]=1,2,3,4", "i64[2]=5,6"}, Want: "i64[2,2]=1,2,6,6"},
	})
}
