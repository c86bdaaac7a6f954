package groupedmatmul

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 17, Inputs: []string{"f32[2,3,4]", "f32[2,5,4]"}, Want: "f32[2,3,5]"},
		{Version: 17, Inputs: []string{"f32[1..3,3,4]", "f32[2..6,?,2..5]"}, Want: "f32[2..3,3,?]"},
		{Version: 17, Inputs: []string{"f32[2,3,4]", "f32[2,5,4]", "i32[]"}, Want: "f32[2,3,5]"},
		{Version: 17, Inputs: []string{"dynamic[6,4]", "f16[2,5..,4]", "i64[2]"}, Want: "f16[6,5..]"},
		{Version: 17, Inputs: []string{"f32[?,4]", "f32[2,5,?]", "dynamic[...]"}, Want: "f32[?,5]"},
		{Version: 17, Inputs: []string{"f32[...]", "f32[2]"}, Want: "f32[...]"},
		{Version: 17, Inputs: []string{"f32[6,4]", "f32[...]"}, Want: "f32[...]"},
		{Version: 17, Inputs: []string{"f32[6,4]", "f32[2,5,4]"}, Error: "offsets is missing, which mat_a of two axes needs"},
		{Version: 17, Inputs: []string{"f32[6,4]", "f32[2,5,4]", "i32[2,2]"}, Error: "offsets has shape [2,2], expected rank 1"},
		{Version: 17, Inputs: []string{"f32[6,4]", "f32[2,5,4]", "f32[2]"}, Error: "offsets is f32, expected i32 or i64"},
		{Version: 17, Inputs: []string{"f32[2,3,4]", "f32[2,5,6]"}, Error: "mat_a has shape [2,3,4], mat_b has shape [2,5,6]: their rows are not equally long"},
		{Version: 17, Inputs: []string{"f32[2,3,4]", "f32[3,5,4]"}, Error: "mat_a has shape [2,3,4], mat_b has shape [3,5,4]: the numbers of groups differ"},
		{Version: 17, Inputs: []string{"f32[6,4]", "f32[7,4]", "i32[2]"}, Error: "mat_a has shape [6,4], mat_b has shape [7,4], expected ranks 2 or 3, and 3"},
		{Version: 17, Inputs: []string{"f32[4]", "f32[2,5,4]"}, Error: "mat_a has shape [4], mat_b has shape [2,5,4], expected ranks 2 or 3, and 3"},
		{Version: 17, Inputs: []string{"f32[2,3,4]", "f16[2,5,4]"}, Error: "mat_a is f32, mat_b is f16"},
	})
}
