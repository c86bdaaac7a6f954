package lrn

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	all := layertest.Attributes{"alpha", "1e-4", "beta", "0.75", "bias", "1", "size", "5"}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Attributes: all, Inputs: []string{"f32[2,3,4]", "i64[1]=1"}, Want: "f32[2,3,4]"},
		{Version: 1, Attributes: all, Inputs: []string{"f16[2,3..5,?]", "i32[2]=2,0"}, Want: "f16[2,3..5,?]"},
		{Version: 1, Attributes: all, Inputs: []string{"f32[...]", "u8[3]=9,9,9"}, Want: "f32[...]"},
		{Version: 1, Attributes: all, Inputs: []string{"f32[2,3]", "i64[1]=-3"}, Want: "f32[2,3]"},
		{Version: 1, Inputs: []string{"f32[]", "i64[0]="}, Want: "f32[]"},
		{Version: 1, Attributes: all, Inputs: []string{"f32[2,3]", "i64[...]"}, Want: "f32[2,3]"},
		{Version: 1, Attributes: all, Inputs: []string{"f32[2,3]", "i64[?,1]"}, Want: "f32[2,3]"},
		{Version: 1, Attributes: all, Inputs: []string{"f32[2]", "i64[1]"}, Error: "axis 1 is outside data of shape [2]"},
		{Version: 1, Attributes: all, Inputs: []string{"f32[2,?]", "i64[2]=0,2"}, Error: "axis 2 is outside data of shape [2,?]"},
		{Version: 1, Attributes: all, Inputs: []string{"f32[2,3]", "i64[3]"}, Error: "axes has shape [3], more than the axes of data, [2,3]"},
		{Version: 1, Attributes: all, Inputs: []string{"f32[2,3]", "i64[]=1"}, Error: "axes has shape [], not that of a vector"},
		{Version: 1, Attributes: all, Inputs: []string{"f32[2,3]", "f32[1]"}, Error: "axes is f32, not of an integer type"},
		{Version: 1, Attributes: layertest.Attributes{"size", "large"}, Inputs: []string{"f32[2,3]", "i64[1]=1"},
			Error: `attribute size: "large" is not a 64-bit whole number`},
	})
}
