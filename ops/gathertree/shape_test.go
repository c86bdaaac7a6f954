package gathertree

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Inputs: []string{"i32[5,2,3]", "i32[5,2,3]", "i32[2]", "i32[]"}, Want: "i32[5,2,3]"},
		{Version: 1, Inputs: []string{"f32[5,..4,?]", "dynamic[2..9,?,3]", "f32[2..]", "f32[...]"}, Want: "f32[5,2..4,3]"},
		{Version: 1, Inputs: []string{"i32[...]", "i32[...]", "i32[2]", "i32[]"}, Want: "i32[...]"},
		{Version: 1, Inputs: []string{"i32[5,2]", "i32[...]", "i32[2]", "i32[]"}, Error: "step_ids has shape [5,2], expected rank 3"},
		{Version: 1, Inputs: []string{"i32[5,2,3]", "i32[5,2,4]", "i32[2]", "i32[]"}, Error: "step_ids has shape [5,2,3], parent_idx has shape [5,2,4]"},
		{Version: 1, Inputs: []string{"i32[5,2,3]", "i32[5,2,3]", "i32[3]", "i32[]"}, Error: "max_seq_len has shape [3], step_ids of shape [5,2,3] has another batch"},
		{Version: 1, Inputs: []string{"i32[5,2,3]", "i32[5,2,3]", "i32[2]", "i32[1]"}, Error: "end_token has shape [1], expected rank 0"},
		{Version: 1, Inputs: []string{"i32[5,2,3]", "i32[5,2,3]", "i64[2]", "i32[]"}, Error: "max_seq_len is i64, the inputs before it are i32"},
		{Version: 1, Inputs: []string{"boolean[5,2,3]", "boolean[5,2,3]", "boolean[2]", "boolean[]"}, Error: "step_ids is boolean, not a type of numbers"},
	})
}
