package gridsample

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	type at = layertest.Attributes
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 9, Inputs: []string{"f32[1,4,9,9]", "f32[1,5,6,2]"}, Want: "f32[1,4,5,6]"},
		{Version: 9, Attributes: at{"mode", "bicubic", "padding_mode", "reflection"}, Inputs: []string{"i32[1..3,?,9,9]", "f16[2..5,5,6..,?]"}, Want: "i32[2..3,?,5,6..]"},
		{Version: 9, Inputs: []string{"f32[1,4,9,9]", "f32[...]"}, Want: "f32[1,4,?,?]"},
		{Version: 9, Inputs: []string{"f32[...]", "f32[1..2,5,6,2]"}, Want: "f32[1..2,?,5,6]"},
		{Version: 9, Inputs: []string{"f32[...]", "f32[...]"}, Want: "f32[?,?,?,?]"},

		{Version: 9, Inputs: []string{"f32[1,4,9]", "f32[1,5,6,2]"}, Error: "data has shape [1,4,9], expected rank 4"},
		{Version: 9, Inputs: []string{"f32[1,4,9,9]", "f32[1,5,6]"}, Error: "grid has shape [1,5,6], expected rank 4"},
		{Version: 9, Inputs: []string{"f32[1,4,9,9]", "f32[1,5,6,3]"}, Error: "grid has shape [1,5,6,3], expected 2 coordinates in its last axis"},
		{Version: 9, Inputs: []string{"f32[1,4,9,9]", "f32[2,5,6,2]"}, Error: "data has shape [1,4,9,9], grid has shape [2,5,6,2]: the batches differ"},
		{Version: 9, Inputs: []string{"f32[1,4,9,9]", "i32[1,5,6,2]"}, Error: "grid is i32, expected a floating-point type"},
		{Version: 9, Attributes: at{"mode", "cubic"}, Inputs: []string{"f32[1,4,9,9]", "f32[1,5,6,2]"}, Error: `attribute mode: "cubic" is none of bilinear, bicubic, nearest`},
	})
}
