package ctcloss

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 4, Inputs: []string{"f32[2,5,9]", "i32[2]", "i32[2,5]", "i32[2]"}, Want: "f32[2]"},
		{Version: 4, Attributes: layertest.Attributes{"unique", "true"}, Inputs: []string{"f16[?,5,9]", "i32[2..4]", "i32[3..9,?]", "i64[?]", "i8[]"}, Want: "f16[3..4]"},
		{Version: 4, Inputs: []string{"f32[...]", "i32[...]", "i32[...]", "i32[...]"}, Want: "f32[?]"},
		{Version: 4, Inputs: []string{"f32[2,5]", "i32[2]", "i32[2,5]", "i32[2]"}, Error: "logits has shape [2,5], expected rank 3"},
		{Version: 4, Inputs: []string{"f32[2,5,9]", "i32[3]", "i32[2,5]", "i32[2]"}, Error: "logit_length has shape [3], the inputs before it have 2 in place of dimension 0"},
		{Version: 4, Inputs: []string{"f32[2,5,9]", "i32[2]", "i32[2,6]", "i32[2]"}, Error: "labels has shape [2,6], the inputs before it have 5 in place of dimension 1"},
		{Version: 4, Inputs: []string{"f32[2,5,9]", "i32[2]", "i32[2,5]", "i32[2]", "i32[1]"}, Error: "blank_index has shape [1], expected rank 0"},
		{Version: 4, Inputs: []string{"i32[2,5,9]", "i32[2]", "i32[2,5]", "i32[2]"}, Error: "logits is i32, expected a floating-point type"},
		{Version: 4, Inputs: []string{"f32[2,5,9]", "i32[2]", "i32[2,5]", "f32[2]"}, Error: "label_length is f32, not a type of integers"},
	})
}
