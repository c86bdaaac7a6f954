package ctcgreedydecoder

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Inputs: []string{"f32[5,2,9]", "f32[5,2]"}, Want: "f32[2,5,1,1]"},
		{Version: 1, Attributes: layertest.Attributes{"ctc_merge_repeated", "false"}, Inputs: []string{"f16[?,2,9]", "i8[3..5,?]"}, Want: "f16[2,3..5,1,1]"},
		{Version: 1, Inputs: []string{"f32[...]", "f32[...]"}, Want: "f32[?,?,1,1]"},
		{Version: 1, Inputs: []string{"f32[5,2]", "f32[5,2]"}, Error: "data has shape [5,2], expected rank 3"},
		{Version: 1, Inputs: []string{"f32[5,2,9]", "f32[5]"}, Error: "sequence_mask has shape [5], expected rank 2"},
		{Version: 1, Inputs: []string{"f32[5,2,9]", "f32[2,5]"}, Error: "data has shape [5,2,9], sequence_mask has shape [2,5]"},
	})
}
