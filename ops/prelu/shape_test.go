package prelu

import (
	"testing"

	"github.com/vinoir/vinoir/ops/internal/layertest"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Inputs: []string{"f32[2,3]", "f32[3]"}, Want: "f32[2,3]"},
		{Version: 1, Inputs: []string{"f16[2,3..5,?]", "f16[...]"}, Want: "f16[2,3..5,?]"},
		{Version: 1, Inputs: []string{"bf16[...]", "bf16[1]"}, Want: "bf16[...]"},
		{Version: 1, Inputs: []string{"dynamic[2]", "f32[7,7]"}, Want: "dynamic[2]"},
	})
}
