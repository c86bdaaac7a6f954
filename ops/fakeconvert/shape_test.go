package fakeconvert

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 13, Inputs: []string{"f32[2,3]", "f32[]"}, Want: "f32[2,3]"},
		{Version: 13, Attributes: layertest.Attributes{"destination_type", "F8E5M2"}, Inputs: []string{"f16[2,3..5,?]", "f16[4,1]", "f16[?,1]"}, Want: "f16[2,4,?]"},
		{Version: 13, Inputs: []string{"dynamic[...]", "bf16[3]"}, Want: "bf16[...]"},
		{Version: 13, Inputs: []string{"f32[2]", "f32[...]"}, Want: "f32[...]"},
		{Version: 13, Inputs: []string{"f32[2,3]", "f32[2]"}, Error: "scale has shape [2], which does not broadcast to data of shape [2,3]"},
		{Version: 13, Inputs: []string{"f32[3]", "f32[2,1]"}, Error: "scale has shape [2,1], which does not broadcast to data of shape [3]"},
		{Version: 13, Inputs: []string{"f32[2,3]", "f32[3]", "f32[]"}, Error: "scale has shape [3], shift has shape []"},
		{Version: 13, Inputs: []string{"f32[2]", "f32[]", "f16[]"}, Error: "shift is f16, the inputs before it are f32"},
		{Version: 13, Inputs: []string{"f64[2]", "f64[]"}, Error: "the inputs are f64, expected f16, bf16 or f32"},
		{Version: 13, Attributes: layertest.Attributes{"destination_type", "f16"}, Inputs: []string{"f32[2]", "f32[]"},
			Error: "attribute destination_type: f16 is neither f8e4m3 nor f8e5m2"},
	})
}
