package detectionoutput

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

// The cases have 5 prior boxes and 3 classes.
func TestShapes(t *testing.T) {
	// Each class has its own boxes, and a prior has 4 numbers in one row of proposals.
	at := func(list ...string) layertest.Attributes {
		return append(layertest.Attributes{
			"share_location", "false", "normalized", "true", "variance_encoded_in_target", "true", "nms_threshold", "0.5",
		}, list...)
	}
	first := func(list ...string) layertest.Attributes { return append(at(list...), "num_classes", "3") }
	keep := func(n string) layertest.Attributes { return first("keep_top_k", n) }
	in := func(inputs ...string) []string { return inputs }
	full := in("f32[2,60]", "f32[2,15]", "f32[1,1,20]", "f32[2,10]", "f32[2,60]")
	one, eight := "DetectionOutput-1", "DetectionOutput-8"
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Type: one, Attributes: keep("4"), Inputs: full, Want: "f32[1,1,8,7]"},
		{Type: one, Attributes: keep("4,100"), Inputs: full[:3], Want: "f32[1,1,8,7]"},
		{Type: one, Attributes: first("keep_top_k", "-1", "top_k", "7"), Inputs: full[:3], Want: "f32[1,1,42,7]"},
		{Type: one, Attributes: keep("-1"), Inputs: full[:3], Want: "f32[1,1,30,7]"},
		{Type: one, Attributes: first("keep_top_k", "-2", "top_k", "7"), Inputs: full[:3], Want: "f32[1,1,30,7]"},
		{Type: one, Attributes: keep("4"), Inputs: in("f32[1..2,?]", "f32[?,?]", "f32[...]"), Want: "f32[1,1,4..8,7]"},
		{Type: one, Attributes: keep("4"), Inputs: in("f32[1..2,?]", "f32[2,?]", "f32[...]"), Want: "f32[1,1,8,7]"},
		{Type: one, Attributes: keep("4"), Inputs: in("f32[...]", "f32[1..2,?]", "f32[...]"), Want: "f32[1,1,?,7]"},
		{Type: one, Attributes: keep("0"), Inputs: in("f32[2,?]", "f32[...]", "f32[1,1,20]"), Want: "f32[1,1,30,7]"},
		{Type: one, Attributes: keep("0"), Inputs: in("f32[2,?]", "f32[...]", "f32[1,1,?]", "f32[...]", "f32[...]"), Want: "f32[1,1,?,7]"},
		{Type: one, Attributes: keep("0"), Inputs: in("f32[2,?]", "f32[...]", "f32[1,1,?]", "f32[2,10]", "f32[...]"), Want: "f32[1,1,30,7]"},
		{Type: one, Attributes: keep("4"), Inputs: in("f16[2,60]", "f16[2,15]", "f64[2,1,20]"), Want: "f16[1,1,8,7]"},
		{Type: one, Attributes: layertest.Attributes{"num_classes", "3", "keep_top_k", "4"}, Inputs: in("f32[2,20]", "f32[2,15]", "f32[1,2,25]"), Want: "f32[1,1,8,7]"},

		{Type: eight, Attributes: at("keep_top_k", "0"), Inputs: full[:3], Want: "f32[1,1,30,7]"},
		{Type: eight, Attributes: at("keep_top_k", "0"), Inputs: in("f32[2,60]", "f32[...]", "f32[1,1,20]"), Want: "f32[1,1,30,7]"},
		{Type: eight, Attributes: at("keep_top_k", "0"), Inputs: in("f32[...]", "f32[2,15]", "f32[1,1,?]", "f32[2,10]", "f32[...]"), Want: "f32[1,1,30,7]"},
		{Type: eight, Attributes: at("keep_top_k", "0"), Inputs: in("f32[2,?]", "f32[2,?]", "f32[1,1,?]", "f32[2,10]", "f32[2,60]"), Want: "f32[1,1,30,7]"},
		{Type: eight, Attributes: at("keep_top_k", "4"), Inputs: in("f32[...]", "f32[...]", "f32[...]"), Want: "f32[1,1,?,7]"},
		{Type: eight, Attributes: at("keep_top_k", "0"), Inputs: in("f32[2,?]", "f32[2,4611686018427387904]", "f32[1,1,4]"), Want: "f32[1,1,?,7]"},

		{Type: one, Attributes: keep("4"), Inputs: full[:4], Error: "4 inputs are connected, expected 3 or 5"},
		{Type: one, Attributes: keep("4"), Inputs: in("i32[2,60]", "f32[2,15]", "f32[1,1,20]"), Error: "box_logits is i32, expected a floating-point type"},
		{Type: one, Attributes: keep("4"), Inputs: in("f32[2,60]", "f16[2,15]", "f32[1,1,20]"), Error: "class_preds is f16, box_logits is f32"},
		{Type: one, Attributes: keep("4"), Inputs: in("f32[2,60]", "f32[2,15,1]", "f32[1,1,20]"), Error: "class_preds has shape [2,15,1], expected rank 2"},
		{Type: one, Attributes: keep("4"), Inputs: in("f32[2,60]", "f32[2,15]", "f32[1,20]"), Error: "proposals has shape [1,20], expected rank 3"},
		{Type: one, Attributes: keep("4"), Inputs: in("f32[2,61]", "f32[2,15]", "f32[1,1,20]"), Error: "box_logits has shape [2,61]: axis 1 is 61, expected a multiple of 12"},
		{Type: one, Attributes: keep("4"), Inputs: in("f32[2,60]", "f32[2,16]", "f32[1,1,20]"), Error: "class_preds has shape [2,16]: axis 1 is 16, expected 15"},
		{Type: one, Attributes: keep("4"), Inputs: in("f32[2,60]", "f32[3,15]", "f32[1,1,20]"), Error: "class_preds has shape [3,15]: axis 0 is 3, expected 2"},
		{Type: one, Attributes: keep("4"), Inputs: in("f32[...]", "f32[2,16]", "f32[1,1,20]"), Error: "class_preds has shape [2,16]: axis 1 is 16, expected a multiple of 3"},
		{Type: one, Attributes: keep("4"), Inputs: in("f32[2,60]", "f32[2,15]", "f32[3,1,20]"), Error: "proposals has shape [3,1,20]: axis 0 is 3, expected 2"},
		{Type: one, Attributes: keep("4"), Inputs: in("f32[2,60]", "f32[2,15]", "f32[1,2,20]"), Error: "proposals has shape [1,2,20]: axis 1 is 2, expected 1"},
		{Type: one, Attributes: keep("4"), Inputs: in("f32[2,60]", "f32[2,15]", "f32[1,1,25]"), Error: "proposals has shape [1,1,25]: axis 2 is 25, expected 20"},
		{Type: one, Attributes: keep("4"), Inputs: in("f32[...]", "f32[...]", "f32[1,1,21]"), Error: "proposals has shape [1,1,21]: axis 2 is 21, expected a multiple of 4"},
		{Type: one, Attributes: keep("4"), Inputs: append(in("f32[2,60]", "f32[2,15]", "f32[1,1,20]"), "f32[2,12]", "f32[2,60]"), Error: "aux_class_preds has shape [2,12]: axis 1 is 12, expected 10"},
		{Type: one, Attributes: keep("4"), Inputs: append(in("f32[2,60]", "f32[2,15]", "f32[1,1,20]"), "f32[2,10]", "f32[2,61]"), Error: "aux_box_preds has shape [2,61], box_logits has shape [2,60]"},
		{Type: eight, Attributes: at("keep_top_k", "4"), Inputs: in("f32[2,60]", "f32[2,15]", "f32[1,1,0]"), Error: "proposals has shape [1,1,0]: axis 2 is 0, expected at least one prior box"},
		{Type: eight, Attributes: at("keep_top_k", "4"), Inputs: in("f32[2,60]", "f32[2,15]", "f32[1,1,?]"), Error: "box_logits has shape [2,60]: axis 1 cannot be divided by the number of classes, which the inputs do not determine"},
		{Type: eight, Attributes: at("keep_top_k", "4"), Inputs: in("f32[2,?]", "f32[2,16]", "f32[1,1,20]"), Error: "class_preds has shape [2,16]: axis 1 is 16, expected a multiple of 5"},

		{Type: one, Attributes: at("keep_top_k", "4"), Inputs: full, Error: "attribute num_classes: 0 is not above 0"},
		{Type: one, Attributes: first(), Inputs: full, Error: "attribute keep_top_k: one number is needed"},
		{Type: one, Attributes: keep("4,2147483648"), Inputs: full, Error: "attribute keep_top_k: 2147483648 is not a 32-bit number"},
		{Type: eight, Attributes: at("keep_top_k", "4", "code_type", "corner"), Inputs: full, Error: `attribute code_type: "corner" is neither caffe.PriorBoxParameter.CORNER nor caffe.PriorBoxParameter.CENTER_SIZE`},
	})
}
