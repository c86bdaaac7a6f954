package experimentaldetectronpriorgridgenerator

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	flat := layertest.Attributes{"flatten", "true", "h", "0", "w", "0", "stride_x", "4", "stride_y", "4"}
	in := func(priors, features, image string) []string { return []string{priors, features, image} }
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 6, Attributes: flat, Inputs: in("f32[3,4]", "f32[1,16,5,6]", "f32[1,3,50,60]"), Want: "f32[90,4]"},
		{Version: 6, Inputs: in("f16[3,4]", "f16[1,16,5,6]", "f16[1,3,50,60]"), Want: "f16[5,6,3,4]"},
		{Version: 6, Attributes: flat, Inputs: in("f32[2..3,?]", "f32[?,16,5,1..6]", "dynamic[...]"), Want: "f32[10..90,4]"},
		{Version: 6, Inputs: in("f32[2..3,4]", "f32[?,16,5,?]", "f32[...]"), Want: "f32[5,?,2..3,4]"},
		{Version: 6, Attributes: flat, Inputs: in("f32[...]", "f32[1,16,5,6]", "f32[1,3,50,60]"), Want: "f32[?,4]"},
		{Version: 6, Attributes: flat, Inputs: in("f32[0,4]", "f32[...]", "f32[1,3,50,60]"), Want: "f32[?,4]"},
		{Version: 6, Inputs: in("f32[3,4]", "f32[...]", "f32[1,3,50,60]"), Want: "f32[?,?,3,4]"},
		{Version: 6, Inputs: in("f32[...]", "f32[1,16,5,6]", "f32[...]"), Want: "f32[5,6,?,4]"},
		{Version: 6, Attributes: flat, Inputs: in("f32[4,4]", "f32[1,16,4611686018427387904,6]", "f32[...]"), Want: "f32[?,4]"},

		{Version: 6, Inputs: in("f32[3]", "f32[...]", "f32[...]"), Error: "priors has shape [3], expected rank 2"},
		{Version: 6, Inputs: in("f32[3,5]", "f32[...]", "f32[...]"), Error: "priors has shape [3,5]: axis 1 is not of length 4"},
		{Version: 6, Inputs: in("f32[...]", "f32[16,5,6]", "f32[...]"), Error: "feature_map has shape [16,5,6], expected rank 4"},
		{Version: 6, Inputs: in("f32[...]", "f32[...]", "f32[3,5,6]"), Error: "im_data has shape [3,5,6], expected rank 4"},
		{Version: 6, Inputs: in("f32[...]", "f32[1,16,5,6]", "f32[2,3,50,60]"), Error: "feature_map has shape [1,16,5,6] and im_data has shape [2,3,50,60]: axes 0 and 0 differ"},
		{Version: 6, Inputs: in("f32[...]", "f16[...]", "f32[...]"), Error: "input 1 is f16, the inputs before it are f32"},
		{Version: 6, Attributes: layertest.Attributes{"h", ""}, Inputs: in("f32[...]", "f32[...]", "f32[...]"), Error: `attribute h: "" is not a 64-bit whole number`},
	})
}
