package reversesequence

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Inputs: []string{"f32[2,3]", "i32[2]"}, Want: "f32[2,3]"},
		{Version: 1, Attributes: layertest.Attributes{"batch_axis", "1", "seq_axis", "0"}, Inputs: []string{"f32[?,..5]", "f32[2..9]"}, Want: "f32[?,2..5]"},
		{Version: 1, Attributes: layertest.Attributes{"batch_axis", "-1"}, Inputs: []string{"f32[2,?]", "i32[4]"}, Want: "f32[2,4]"},
		{Version: 1, Attributes: layertest.Attributes{"batch_axis", "9"}, Inputs: []string{"f32[2,3]", "i32[...]"}, Want: "f32[2,3]"},
		{Version: 1, Inputs: []string{"f32[...]", "i32[2]"}, Want: "f32[...]"},
		{Version: 1, Inputs: []string{"f32[2]", "i32[2]"}, Error: "data has shape [2], expected rank 2 or more"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i32[3]"}, Error: "seq_lengths has shape [3], data of shape [2,3] has another length of axis 0"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i32[]"}, Error: "seq_lengths has shape [], expected rank 1"},
		{Version: 1, Inputs: []string{"f32[2,3]", "boolean[2]"}, Error: "seq_lengths is boolean, not a type of numbers"},
		{Version: 1, Attributes: layertest.Attributes{"batch_axis", "2"}, Inputs: []string{"f32[2,3]", "i32[2]"}, Error: "batch_axis: axis 2 is outside [-2,1] for rank 2"},
		{Version: 1, Attributes: layertest.Attributes{"seq_axis", "-3"}, Inputs: []string{"f32[2,3]", "i32[2]"}, Error: "seq_axis: axis -3 is outside [-2,1] for rank 2"},
		{Version: 1, Attributes: layertest.Attributes{"seq_axis", "-1"}, Inputs: []string{"f32[...]", "i32[2]"}, Error: "seq_axis -1 counts from the back of data, whose rank is not known"},
	})
}
