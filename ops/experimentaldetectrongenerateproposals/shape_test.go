package experimentaldetectrongenerateproposals

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	at := layertest.Attributes{"min_size", "0", "nms_threshold", "0.7", "post_nms_count", "7", "pre_nms_count", "9"}
	in := func(info, anchors, deltas, scores string) []string { return []string{info, anchors, deltas, scores} }
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 6, Attributes: at, Inputs: in("f32[3]", "f32[90,4]", "f32[12,5,6]", "f32[3,5,6]"), Want: "f32[7,4] f32[7]"},
		{Version: 6, Attributes: at, Inputs: in("f16[?]", "f16[?,2..5]", "dynamic[?,1..5,6]", "f16[3,5..,?]"), Want: "f16[7,4] f16[7]"},
		{Version: 6, Attributes: at, Inputs: in("dynamic[...]", "dynamic[...]", "dynamic[...]", "dynamic[...]"), Want: "dynamic[7,4] dynamic[7]"},
		{Version: 6, Inputs: in("f32[3]", "f32[90,4]", "f32[12,5,6]", "f32[3,5,6]"), Want: "f32[0,4]"},
		{Version: 6, Attributes: layertest.Attributes{"post_nms_count", "-1"}, Inputs: in("f32[3]", "f32[90,4]", "f32[...]", "f32[...]"), Want: "f32[?,4]"},
		// As in OpenVINO, the first axes of deltas and scores are not compared.
		{Version: 6, Attributes: at, Inputs: in("f32[3]", "f32[90,4]", "f32[5,5,6]", "f32[3,5,6]"), Want: "f32[7,4]"},

		{Version: 6, Inputs: in("f32[1,3]", "f32[...]", "f32[...]", "f32[...]"), Error: "im_info has shape [1,3], expected rank 1"},
		{Version: 6, Inputs: in("f32[4]", "f32[...]", "f32[...]", "f32[...]"), Error: "im_info has shape [4]: axis 0 is not of length 3"},
		{Version: 6, Inputs: in("f32[3]", "f32[90,5]", "f32[...]", "f32[...]"), Error: "anchors has shape [90,5]: axis 1 is not of length 4"},
		{Version: 6, Inputs: in("f32[3]", "f32[...]", "f32[1,12,5,6]", "f32[...]"), Error: "deltas has shape [1,12,5,6], expected rank 3"},
		{Version: 6, Inputs: in("f32[3]", "f32[...]", "f32[12,5,6]", "f32[3,5,7]"), Error: "deltas has shape [12,5,6] and scores has shape [3,5,7]: axes 2 and 2 differ"},
		{Version: 6, Inputs: in("f32[3]", "f32[...]", "f32[...]", "f64[...]"), Error: "input 3 is f64, the inputs before it are f32"},
		{Version: 6, Attributes: layertest.Attributes{"min_size", "big"}, Inputs: in("f32[3]", "f32[...]", "f32[...]", "f32[...]"), Error: `attribute min_size: "big" is not a number`},
	})
}
