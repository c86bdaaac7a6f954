package experimentaldetectrontopkrois

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	most := func(n string) layertest.Attributes { return layertest.Attributes{"max_rois", n} }
	in := func(rois, probs string) []string { return []string{rois, probs} }
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 6, Attributes: most("7"), Inputs: in("f32[9,4]", "f32[9]"), Want: "f32[7,4]"},
		{Version: 6, Attributes: most("7"), Inputs: in("dynamic[...]", "f16[1..3]"), Want: "f16[7,4]"},
		{Version: 6, Inputs: in("f32[?,4..]", "f32[...]"), Want: "f32[0,4]"},
		{Version: 6, Attributes: most("-1"), Inputs: in("f32[9,4]", "f32[9]"), Want: "f32[?,4]"},
		{Version: 6, Attributes: most("9223372036854775807"), Inputs: in("f32[9,4]", "f32[9]"), Want: "f32[?,4]"},

		{Version: 6, Inputs: in("f32[9]", "f32[9]"), Error: "rois has shape [9], expected rank 2"},
		{Version: 6, Inputs: in("f32[9,5]", "f32[9]"), Error: "rois has shape [9,5]: axis 1 is not of length 4"},
		{Version: 6, Inputs: in("f32[...]", "f32[9,1]"), Error: "rois_probs has shape [9,1], expected rank 1"},
		{Version: 6, Inputs: in("f32[9,4]", "f32[8]"), Error: "rois has shape [9,4] and rois_probs has shape [8]: axes 0 and 0 differ"},
		{Version: 6, Inputs: in("f32[9,4]", "f16[9]"), Error: "input 1 is f16, the inputs before it are f32"},
		{Version: 6, Attributes: most("x"), Inputs: in("f32[9,4]", "f32[9]"), Error: `attribute max_rois: "x" is not a 64-bit whole number`},
	})
}
