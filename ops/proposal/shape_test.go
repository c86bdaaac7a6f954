package proposal

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	top := func(n string) layertest.Attributes { return layertest.Attributes{"post_nms_topn", n} }
	in := func(probs, deltas, image string) []string { return []string{probs, deltas, image} }
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Attributes: top("7"), Inputs: in("f32[2,4,5,6]", "f16[2,8,5,6]", "f64[3]"), Want: "f32[14,5]"},
		{Version: 4, Attributes: top("7"), Inputs: in("f16[2,4,5,6]", "f16[2,8,5,6]", "f16[4]"), Want: "f16[14,5] f16[14]"},
		{Version: 4, Attributes: top("7"), Inputs: in("f32[1..3,?,5,6]", "f32[2..,8,5,6]", "f32[2..]"), Want: "f32[14..21,5] f32[14..21]"},
		{Version: 4, Attributes: top("7"), Inputs: in("f32[...]", "f32[2,8,5,6]", "f32[...]"), Want: "f32[14,5] f32[14]"},
		{Version: 4, Attributes: top("7"), Inputs: in("f32[2,4,5,6]", "f32[...]", "f32[3]"), Want: "f32[14,5] f32[14]"},
		{Version: 4, Attributes: top("7"), Inputs: in("f32[...]", "f32[...]", "f32[...]"), Want: "f32[?,5] f32[?]"},
		// Like OpenVINO, the rule does not compare the heights and widths of the feature maps.
		{Version: 4, Attributes: top("7"), Inputs: in("f32[2,4,5,6]", "f32[2,8,1,1]", "f32[3]"), Want: "f32[14,5]"},
		{Version: 1, Inputs: in("f32[2,4,5,6]", "f32[2,8,5,6]", "f32[3]"), Want: "f32[0,5]"},
		{Version: 1, Attributes: top("-1"), Inputs: in("f32[2,4,5,6]", "f32[2,8,5,6]", "f32[3]"), Want: "f32[?,5]"},
		{Version: 1, Attributes: top("-2"), Inputs: in("f32[2,4,5,6]", "f32[2,8,5,6]", "f32[3]"), Want: "f32[0,5]"},
		{Version: 1, Attributes: top("4611686018427387904"), Inputs: in("f32[2,4,5,6]", "f32[2,8,5,6]", "f32[3]"), Want: "f32[?,5]"},

		{Version: 1, Inputs: in("f32[2,4,5]", "f32[...]", "f32[3]"), Error: "class_probs has shape [2,4,5], expected rank 4"},
		{Version: 1, Inputs: in("f32[...]", "f32[2]", "f32[3]"), Error: "bbox_deltas has shape [2], expected rank 4"},
		{Version: 1, Inputs: in("f32[...]", "f32[...]", "f32[1,3]"), Error: "image_shape has shape [1,3], expected rank 1"},
		{Version: 1, Inputs: in("f32[...]", "f32[...]", "f32[5..]"), Error: "image_shape has shape [5..], expected 3 or 4 elements"},
		{Version: 1, Inputs: in("f32[2,4,5,6]", "f32[2,9,5,6]", "f32[3]"), Error: "bbox_deltas has shape [2,9,5,6]: axis 1 is 9, expected 8 for class_probs of shape [2,4,5,6]"},
		{Version: 1, Inputs: in("f32[2,4,5,6]", "f32[3,8,5,6]", "f32[3]"), Error: "bbox_deltas has shape [3,8,5,6], class_probs has shape [2,4,5,6]: their batches differ"},
		{Version: 1, Inputs: in("f32[...]", "i32[...]", "f32[3]"), Error: "bbox_deltas is i32, expected a floating-point type"},
		{Version: 4, Inputs: in("f32[...]", "f32[...]", "dynamic[3]"), Error: "image_shape is dynamic, expected a floating-point type"},
		{Version: 4, Attributes: layertest.Attributes{"ratio", "1,x"}, Inputs: in("f32[...]", "f32[...]", "f32[3]"), Error: `attribute ratio: "x" is not a number`},
		{Version: 1, Inputs: in("f32[...]", "f32[...]", "f32[3]"), Want: "f32[?,5] f32[?]", Error: "the layer has 2 outputs in the file, its type has 1"},
	})
}
