package multiclassnms

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	at := func(list ...string) layertest.Attributes { return list }
	in := func(inputs ...string) []string { return inputs }
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 8, Inputs: in("f32[2,6,4]", "f32[2,3,6]"), Want: "f32[..36,6] i64[..36,1] i64[2]"},
		{Version: 8, Attributes: at("nms_top_k", "2", "output_type", "i32"), Inputs: in("f16[2,6,4]", "f16[2,3,6]"), Want: "f16[..12,6] i32[..12,1] i32[2]"},
		{Version: 9, Attributes: at("nms_top_k", "2", "keep_top_k", "5"), Inputs: in("bf16[2,6,4]", "bf16[2,3,6]"), Want: "bf16[..10,6]"},
		{Version: 9, Attributes: at("keep_top_k", "5"), Inputs: in("f32[2,6,4]", "f32[2,?,6]"), Want: "f32[?,6] i64[?,1] i64[2]"},
		{Version: 9, Attributes: at("background_class", "0"), Inputs: in("f32[1..2,5..6,4]", "f32[2..3,1..2,?]"), Want: "f32[..36,6] i64[..36,1] i64[1..2]"},
		{Version: 9, Inputs: in("f32[...]", "f32[...]"), Want: "f32[?,6] i64[?,1] i64[?]"},
		{Version: 9, Inputs: in("f32[...]", "f32[2,3,6]"), Want: "f32[?,6] i64[?,1] i64[?]"},

		{Version: 9, Inputs: in("f32[3,6,4]", "f32[3,6]", "i64[2]"), Want: "f32[..36,6] i64[..36,1] i64[2]"},
		{Version: 9, Attributes: at("nms_top_k", "2", "keep_top_k", "5"), Inputs: in("f32[3,6,4]", "f32[3,6]", "i32[1..2]"), Want: "f32[..10,6] i64[..10,1] i64[1..2]"},
		{Version: 9, Inputs: in("f32[3,6,4]", "f32[3,6]", "i32[...]"), Want: "f32[?,6] i64[?,1] i64[?]"},
		{Version: 9, Inputs: in("f32[...]", "f32[3,6]", "i32[2]"), Want: "f32[?,6] i64[?,1] i64[?]"},

		{Version: 8, Inputs: in("f32[2,6,4]", "f32[...]"), Error: "scores has shape [...], its rank must be known where that of boxes [2,6,4] is"},
		{Version: 8, Inputs: in("f32[2,6,4]", "f32[2,6]"), Error: "scores has shape [2,6], expected rank 3"},
		{Version: 9, Inputs: in("f32[3,6,4]", "f32[3,1,6]", "i64[2]"), Error: "scores has shape [3,1,6], expected rank 2"},
		{Version: 9, Inputs: in("f32[3,6,4]", "f32[2,6]", "i64[2]"), Error: "boxes has shape [3,6,4] and scores has shape [2,6]: axes 0 and 0 differ"},
		{Version: 9, Inputs: in("f32[3,6,4]", "f32[3,7]", "i64[2]"), Error: "boxes has shape [3,6,4] and scores has shape [3,7]: axes 1 and 1 differ"},
		{Version: 9, Inputs: in("f32[3,6,5]", "f32[3,6]", "i64[2]"), Error: "boxes has shape [3,6,5]: axis 2 is not of length 4"},
		{Version: 9, Inputs: in("f32[3,6,4]", "f32[3,6]", "i64[2,1]"), Error: "roisnum has shape [2,1], expected rank 1"},
		{Version: 9, Inputs: in("f32[3,6,4]", "f32[3,6]", "u8[2]"), Error: "roisnum is u8, expected i32 or i64"},
		{Version: 8, Inputs: in("f32[2,6,4]", "f16[2,3,6]"), Error: "scores is f16, boxes is f32"},
		{Version: 8, Attributes: at("nms_top_k", "-2"), Inputs: in("f32[...]", "f32[...]"), Error: "attribute nms_top_k: -2 is below -1"},
		{Version: 8, Attributes: at("background_class", "-2"), Inputs: in("f32[...]", "f32[...]"), Error: "attribute background_class: -2 is below -1"},
		{Version: 8, Attributes: at("nms_eta", "1.5"), Inputs: in("f32[...]", "f32[...]"), Error: "attribute nms_eta: 1.5 is outside [0,1]"},
		{Version: 8, Attributes: at("nms_eta", "nan"), Inputs: in("f32[...]", "f32[...]"), Error: "attribute nms_eta: NaN is outside [0,1]"},
	})
}
