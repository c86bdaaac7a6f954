package experimentaldetectronroifeatureextractor

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	at := layertest.Attributes{"output_size", "7", "pyramid_scales", "4,8"}
	in := func(inputs ...string) []string { return inputs }
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 6, Attributes: at, Inputs: in("f32[9,4]", "f32[1,16,8,8]"), Want: "f32[9,16,7,7] f32[9,4]"},
		{Version: 6, Attributes: at, Inputs: in("f16[?,?]", "f16[1,2..16,8,8]", "f16[...]", "dynamic[..3,8..,4,4]"), Want: "f16[?,8..16,7,7] f16[?,4]"},
		{Version: 6, Attributes: at, Inputs: in("f32[...]", "f32[...]"), Want: "f32[?,?,7,7] f32[?,4]"},
		{Version: 6, Inputs: in("f32[2..3,4]", "f32[1,16,8,8]"), Want: "f32[2..3,16,0,0]"},
		{Version: 6, Attributes: layertest.Attributes{"output_size", "-1"}, Inputs: in("f32[9,4]", "f32[1,16,8,8]"), Want: "f32[9,16,?,?]"},

		{Version: 6, Inputs: in("f32[9,4,1]", "f32[...]"), Error: "rois has shape [9,4,1], expected rank 2"},
		{Version: 6, Inputs: in("f32[9,5]", "f32[...]"), Error: "rois has shape [9,5]: axis 1 is not of length 4"},
		{Version: 6, Inputs: in("f32[9,4]", "f32[...]", "f32[1,2,3]"), Error: "level 1 has shape [1,2,3], expected rank 4"},
		{Version: 6, Inputs: in("f32[9,4]", "f32[2,16,8,8]"), Error: "level 0 has shape [2,16,8,8]: axis 0 is not of length 1"},
		{Version: 6, Inputs: in("f32[9,4]", "f32[1,16,8,8]", "f32[1,8,4,4]"), Error: "level 1 has 8 channels, the levels before it 16"},
		{Version: 6, Inputs: in("f32[9,4]", "i32[1,16,8,8]"), Error: "input 1 is i32, expected a floating-point type"},
		{Version: 6, Attributes: layertest.Attributes{"pyramid_scales", "4,x"}, Inputs: in("f32[9,4]", "f32[1,16,8,8]"), Error: `attribute pyramid_scales: "x" is not a 64-bit whole number`},
	})
}
