package normalizel2

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	all := layertest.Attributes{"eps", "1e-6", "eps_mode", "MAX"}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Attributes: all, Inputs: []string{"f32[2,3,4]", "i64[1]=1"}, Want: "f32[2,3,4]"},
		{Version: 1, Attributes: all, Inputs: []string{"f16[2,3..5,?]", "i32[2]=-1,-3"}, Want: "f16[2,3..5,?]"},
		{Version: 1, Attributes: all, Inputs: []string{"f32[2]", "i64[]=0"}, Want: "f32[2]"},
		{Version: 1, Inputs: []string{"f32[...]", "u8[3]=9,9,9"}, Want: "f32[...]"},
		{Version: 1, Attributes: all, Inputs: []string{"f32[2,3]", "i64[...]"}, Want: "f32[2,3]"},
		{Version: 1, Attributes: all, Inputs: []string{"f32[2,3]", "i64[9]"}, Want: "f32[2,3]"},
		{Version: 1, Attributes: all, Inputs: []string{"f32[2,3]", "i64[1,1]"}, Error: "axes has shape [1,1], not that of a scalar or vector"},
		{Version: 1, Attributes: all, Inputs: []string{"f32[2,?]", "i64[2]=0,2"}, Error: "axis 2 is outside [-2,1] for rank 2"},
		{Version: 1, Attributes: all, Inputs: []string{"f32[]", "i64[1]=0"}, Error: "axis 0 is outside [0,-1] for rank 0"},
		{Version: 1, Attributes: all, Inputs: []string{"f32[2,3]", "i64[0]="}, Want: "f32[2,3]"},
		{Version: 1, Attributes: layertest.Attributes{"eps_mode", "min"}, Inputs: []string{"f32[2]", "i64[1]"},
			Error: `attribute eps_mode: "min" is none of add, max`},
	})
}
