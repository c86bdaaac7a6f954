package generateproposals

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	at := func(list ...string) layertest.Attributes {
		return append(layertest.Attributes{"pre_nms_count", "9", "post_nms_count", "4"}, list...)
	}
	in := func(info, anchors, deltas, scores string) []string { return []string{info, anchors, deltas, scores} }
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 9, Attributes: at(), Inputs: in("f32[2,3]", "f32[5,6,3,4]", "f32[2,12,5,6]", "f32[2,3,5,6]"), Want: "f32[..8,4] f32[..8] i64[2]"},
		{Version: 9, Attributes: at("roi_num_type", "i32"), Inputs: in("f16[2,4]", "f32[5,6,3,4]", "i8[2,12,5,6]", "f16[2,3,5,6]"), Want: "f16[..8,4] f16[..8] i32[2]"},
		{Version: 9, Attributes: at(), Inputs: in("f32[1..3,2..3]", "f32[5,..6,?,4]", "f32[2..,1..12,5,6]", "f32[..4,3,?,6]"), Want: "f32[..12,4] f32[..12] i64[2..3]"},
		{Version: 9, Attributes: at(), Inputs: in("f32[...]", "f32[...]", "f32[...]", "f32[...]"), Want: "f32[?,4] f32[?] i64[?]"},
		{Version: 9, Attributes: at(), Inputs: in("f32[2,3]", "f32[...]", "f32[...]", "f32[3,3,5,6]"), Want: "f32[..8,4] f32[..8] i64[2]"},

		{Version: 9, Attributes: at(), Inputs: in("f32[2]", "f32[...]", "f32[...]", "f32[...]"), Error: "im_info has shape [2], expected rank 2"},
		{Version: 9, Attributes: at(), Inputs: in("f32[2,5]", "f32[...]", "f32[...]", "f32[...]"), Error: "im_info has shape [2,5]: axis 1 is not of length 3 or 4"},
		{Version: 9, Attributes: at(), Inputs: in("f32[...]", "f32[5,6,3,5]", "f32[...]", "f32[...]"), Error: "anchors has shape [5,6,3,5]: axis 3 is not of length 4"},
		{Version: 9, Attributes: at(), Inputs: in("f32[...]", "f32[...]", "f32[2,11,5,6]", "f32[2,3,5,6]"), Error: "deltas has shape [2,11,5,6]: axis 1 is 11, expected 12 for scores of shape [2,3,5,6]"},
		{Version: 9, Attributes: at(), Inputs: in("f32[...]", "f32[...]", "f32[2,12,5,6]", "f32[3,3,5,6]"), Error: "deltas has shape [2,12,5,6] and scores has shape [3,3,5,6]: axes 0 and 0 differ"},
		{Version: 9, Attributes: at(), Inputs: in("f32[3,3]", "f32[...]", "f32[2,12,5,6]", "f32[2,3,5,6]"), Error: "deltas has shape [2,12,5,6] and im_info has shape [3,3]: axes 0 and 0 differ"},
		{Version: 9, Attributes: at(), Inputs: in("f32[...]", "f32[5,7,3,4]", "f32[...]", "f32[2,3,5,6]"), Error: "anchors has shape [5,7,3,4] and scores has shape [2,3,5,6]: axes 1 and 3 differ"},
		{Version: 9, Inputs: in("f32[...]", "f32[...]", "f32[...]", "f32[...]"), Error: "attribute pre_nms_count: 0 is not above 0"},
		{Version: 9, Attributes: layertest.Attributes{"pre_nms_count", "1", "post_nms_count", "-3"}, Inputs: in("f32[...]", "f32[...]", "f32[...]", "f32[...]"), Error: "attribute post_nms_count: -3 is not above 0"},
		{Version: 9, Attributes: at("nms_eta", "0.5"), Inputs: in("f32[...]", "f32[...]", "f32[...]", "f32[...]"), Error: "attribute nms_eta: 0.5 is not 1"},
		{Version: 9, Attributes: at("roi_num_type", "u8"), Inputs: in("f32[...]", "f32[...]", "f32[...]", "f32[...]"), Error: "attribute roi_num_type: u8 is neither i32 nor i64"},
	})
}
