package result

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Inputs: []string{"f32[2,?]"}, Want: "f32[2,?]"},
		{Version: 1, Inputs: []string{"dynamic[...]"}, Want: "dynamic[...]"},
		{Version: 1, Inputs: []string{"i64[2]=1,2..3"}, Want: "i64[2]=1,2..3"},
	})
}

func TestView(t *testing.T) {
	for _, elementType := range []ir.ElementType{ir.F32, ir.U1, ir.String} {
		data := layertest.Counted(t, elementType, 3, 3)
		got, err := layertest.Run(&Ops[0], nil, 2, data)
		require.NoError(t, err)
		assert.Equal(t, layertest.Elements(data), layertest.Elements(got))
	}
}
