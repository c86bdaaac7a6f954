package matrixnms

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	at := func(list ...string) layertest.Attributes { return list }
	in := func(boxes, scores string) []string { return []string{boxes, scores} }
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 8, Inputs: in("f32[2,6,4]", "f32[2,3,6]"), Want: "f32[..36,6] i64[..36,1] i64[2]"},
		{Version: 8, Attributes: at("nms_top_k", "2", "output_type", "i32"), Inputs: in("f16[2,6,4]", "f16[2,3,6]"), Want: "f16[..12,6] i32[..12,1] i32[2]"},
		{Version: 8, Attributes: at("nms_top_k", "2", "keep_top_k", "5"), Inputs: in("bf16[2,6,4]", "bf16[2,3,6]"), Want: "bf16[..10,6]"},
		{Version: 8, Attributes: at("nms_top_k", "4294967298"), Inputs: in("f32[2,6,4]", "f32[2,3,6]"), Want: "f32[..12,6]"},
		{Version: 8, Attributes: at("keep_top_k", "0"), Inputs: in("f32[2,6,4]", "f32[2,3,6]"), Want: "f32[0,6]"},
		{Version: 8, Inputs: in("f32[1..2,5..6,4]", "f32[2..3,1..2,?]"), Want: "f32[..36,6] i64[..36,1] i64[1..2]"},
		{Version: 8, Attributes: at("nms_top_k", "2"), Inputs: in("f32[2,?,4]", "f32[2,3,6]"), Want: "f32[?,6] i64[?,1] i64[2]"},
		{Version: 8, Inputs: in("f32[?,6,4]", "f32[...]"), Want: "f32[?,6] i64[?,1] i64[?]"},
		{Version: 8, Attributes: at("nms_top_k", "-5"), Inputs: in("f32[...]", "f32[2,3,6]"), Want: "f32[?,6] i64[?,1] i64[?]"},
		{Version: 8, Inputs: in("f32[4611686018427387904,9,4]", "f32[?,4611686018427387904,9]"), Want: "f32[?,6] i64[?,1] i64[4611686018427387904]"},

		{Version: 8, Inputs: in("f32[2,6]", "f32[...]"), Error: "boxes has shape [2,6], expected rank 3"},
		{Version: 8, Inputs: in("f32[2,6,4]", "f32[3,3,6]"), Error: "boxes has shape [2,6,4] and scores has shape [3,3,6]: axes 0 and 0 differ"},
		{Version: 8, Inputs: in("f32[2,6,4]", "f32[2,6,3]"), Error: "boxes has shape [2,6,4] and scores has shape [2,6,3]: axes 1 and 2 differ"},
		{Version: 8, Inputs: in("f32[2,6,3]", "f32[...]"), Error: "boxes has shape [2,6,3]: axis 2 is not of length 4"},
		{Version: 8, Inputs: in("f64[2,6,4]", "f64[2,3,6]"), Error: "boxes is f64, expected f32, f16 or bf16"},
		{Version: 8, Inputs: in("f32[2,6,4]", "f16[2,3,6]"), Error: "scores is f16, boxes is f32"},
		{Version: 8, Inputs: in("f32[2,6,4]", "dynamic[2,3,6]"), Error: "scores is dynamic, boxes is f32"},
		{Version: 8, Attributes: at("nms_top_k", "-2"), Inputs: in("f32[2,6,4]", "f32[...]"), Error: "nms_top_k is -2, below -1"},
		{Version: 8, Attributes: at("keep_top_k", "2147483648"), Inputs: in("f32[2,6,4]", "f32[...]"), Error: "keep_top_k is -2147483648, below -1"},
		{Version: 8, Attributes: at("background_class", "-2"), Inputs: in("f32[2,6,4]", "f32[...]"), Error: "background_class is -2, below -1"},
		{Version: 8, Attributes: at("decay_function", "cubic"), Inputs: in("f32[...]", "f32[...]"), Error: `attribute decay_function: "cubic" is none of gaussian, linear`},
		{Version: 8, Attributes: at("sort_result_type", "class"), Inputs: in("f32[...]", "f32[...]"), Error: `attribute sort_result_type: "class" is none of classid, score, none`},
	})
}
