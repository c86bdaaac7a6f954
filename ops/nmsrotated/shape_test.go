package nmsrotated

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	in := func(boxes, scores, limit string) []string { return []string{boxes, scores, limit, "f32[]", "f16[1]"} }
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 13, Inputs: in("f32[2,6,5]", "f64[2,3,6]", "i64[]=2"), Want: "i64[..12,3] f32[..12,3] i64[1]"},
		{Version: 13, Attributes: layertest.Attributes{"output_type", "I32"}, Inputs: in("f8e4m3[2,6,5]", "dynamic[2,3,6]", "u4[1]"), Want: "i32[?,3] f32[?,3] i32[1]"},
		{Version: 13, Inputs: in("f32[..2,1..6,5]", "f32[1..3,..2,?]", "i64[]=9"), Want: "i64[..36,3]"},
		{Version: 13, Inputs: in("f32[2,?,?]", "f32[2,3,6]", "i64[]=2"), Want: "i64[?,3]"},
		{Version: 13, Inputs: in("f32[2,6,5]", "f32[...]", "i64[]=2"), Want: "i64[?,3]"},
		{Version: 13, Inputs: in("f32[...]", "f32[2,3,6]", "i64[...]"), Want: "i64[?,3]"},

		{Version: 13, Inputs: in("f32[2,6,4]", "f32[2,3,6]", "i64[]=2"), Error: "boxes has shape [2,6,4]: axis 2 is not of length 5"},
		{Version: 13, Inputs: in("f32[2,6,5]", "f32[3,3,6]", "i64[]=2"), Error: "boxes has shape [2,6,5] and scores has shape [3,3,6]: axes 0 and 0 differ"},
		{Version: 13, Inputs: in("f32[2,6,5]", "f32[2,3,6]", "i64[2]"), Error: "max_output_boxes_per_class has shape [2], not that of a scalar or of one element"},
		{Version: 13, Inputs: in("f32[2,6,5]", "f32[2,3,6]", "f32[]"), Error: "max_output_boxes_per_class is f32, not a type of integers"},
		{Version: 13, Inputs: in("f32[2,6,5]", "i32[2,3,6]", "i64[]"), Error: "scores is i32, expected a floating-point type"},
		{Version: 13, Inputs: in("nf4[2,6,5]", "f32[2,3,6]", "i64[]"), Error: "boxes is nf4, expected a floating-point type"},
		{Version: 13, Attributes: layertest.Attributes{"output_type", "f32"}, Inputs: in("f32[...]", "f32[...]", "i64[]"), Error: "attribute output_type: f32 is neither i32 nor i64"},
	})
}
