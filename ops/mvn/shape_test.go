package mvn

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	two := layertest.Attributes{"eps", "1e-5", "across_channels", "true", "normalize_variance", "true", "reduction_axes", "1, 2"}
	six := layertest.Attributes{"eps", "1e-5", "normalize_variance", "true", "eps_mode", "OUTSIDE_SQRT"}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 2, Attributes: two, Inputs: []string{"f32[2,3,4]"}, Want: "f32[2,3,4]"},
		{Version: 2, Attributes: two, Inputs: []string{"f16[2,3..5,?]"}, Want: "f16[2,3..5,?]"},
		{Version: 2, Inputs: []string{"dynamic[...]"}, Want: "dynamic[...]"},
		{Version: 2, Attributes: layertest.Attributes{"reduction_axes", "one"}, Inputs: []string{"f32[2]"},
			Error: `attribute reduction_axes: "one" is not a 64-bit whole number`},

		{Version: 6, Attributes: six, Inputs: []string{"f32[2,3,4]", "i64[2]=1,2"}, Want: "f32[2,3,4]"},
		{Version: 6, Attributes: six, Inputs: []string{"f16[2,3..5,?]", "i64[?]"}, Want: "f16[2,3..5,?]"},
		{Version: 6, Inputs: []string{"f32[...]", "i32[7]"}, Want: "f32[...]"},
		{Version: 6, Attributes: six, Inputs: []string{"f32[2]", "i64[1,?]"}, Want: "f32[2]"},
		{Version: 6, Attributes: six, Inputs: []string{"f32[2,3]", "i64[1]=5"}, Want: "f32[2,3]"},
		{Version: 6, Attributes: six, Inputs: []string{"f32[2,3]", "i64[]"}, Error: "axes has shape [], not that of a vector"},
		{Version: 6, Attributes: six, Inputs: []string{"f32[2,3]", "i64[3]"}, Error: "axes has shape [3], more than the axes of data, [2,3]"},
		{Version: 6, Attributes: layertest.Attributes{"eps_mode", "beside"}, Inputs: []string{"f32[2]", "i64[1]"},
			Error: `attribute eps_mode: "beside" is none of inside_sqrt, outside_sqrt`},
	})
}
