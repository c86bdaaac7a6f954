package parameter

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ops"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Attributes: layertest.Attributes{"shape", "2,3", "element_type", "f16"}, Want: "f16[2,3]"},
		{Version: 1, Attributes: layertest.Attributes{"shape", "?,2..5,..4", "element_type", "I64"}, Want: "i64[?,2..5,..4]"},
		{Version: 1, Attributes: layertest.Attributes{"shape", "...", "element_type", "string"}, Want: "string[...]"},
		{Version: 1, Attributes: layertest.Attributes{"shape", "", "element_type", "f32"}, Want: "f32[]"},
		{Version: 1, Want: "dynamic[]"},
		{Version: 1, Attributes: layertest.Attributes{"element_type", "FP32"}, Error: `attribute element_type: "FP32" is not an element type`},
		{Version: 1, Attributes: layertest.Attributes{"shape", "5..2"}, Error: `attribute shape: shape "5..2": dimension "5..2": lower bound 5 is above upper bound 2`},
	})
}

func TestNoKernel(t *testing.T) {
	_, err := Ops[0].Prepare(&ops.Preparation{})
	require.EqualError(t, err, "a Parameter has no kernel: its value is set by the caller")
}
