package identity

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 16, Inputs: []string{"f32[2,0]"}, Want: "f32[2,0]"},
		{Version: 16, Inputs: []string{"u4[]"}, Want: "u4[]"},
		{Version: 16, Inputs: []string{"string[?,3..5]"}, Want: "string[?,3..5]"},
		{Version: 16, Inputs: []string{"dynamic[...]"}, Want: "dynamic[...]"},
		{Version: 16, Inputs: []string{"i64[2]=1,2..3"}, Want: "i64[2]"},
	})
}

func TestKernel(t *testing.T) {
	for _, elementType := range layertest.Types() {
		data := layertest.Counted(t, elementType, 3, 5)
		got, err := layertest.Run(&Ops[0], nil, 2, data)
		require.NoError(t, err)
		require.Equal(t, ir.Shape{3, 5}, got.Shape())
		require.Equal(t, layertest.Elements(data), layertest.Elements(got), elementType)
	}
}
