package unsqueeze

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[1]=0"}, Want: "f32[1,2,3]"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[2]=1,3"}, Want: "f32[2,1,3,1]"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[2]=3,1"}, Want: "f32[2,1,3,1]"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[2]=-1,-4"}, Want: "f32[1,2,3,1]"},
		{Version: 1, Inputs: []string{"f32[2,3]", "u8[]=1"}, Want: "f32[2,1,3]"},
		{Version: 1, Inputs: []string{"f32[]", "i64[2]=0,1"}, Want: "f32[1,1]"},
		{Version: 1, Inputs: []string{"f32[0]", "i64[1]=-1"}, Want: "f32[0,1]"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[2]=0,0"}, Want: "f32[1,2,3]"},
		{Version: 1, Inputs: []string{"f32[2,3,4]", "i64[2]=4,-1"}, Want: "f32[2,3,4,1]"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[1]=3"}, Error: "axis 3 is outside [-3,2] for rank 3"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[0]="}, Error: "axes names no axis"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[1,1]=0"}, Error: "axes has shape [1,1], not that of a vector or scalar"},

		{Version: 1, Inputs: []string{"f32[?,2..3]", "i64[1]=1"}, Want: "f32[?,1,2..3]"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[1]"}, Want: "f32[...]"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[]"}, Want: "f32[...]"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[2]"}, Want: "f32[...]"},
		{Version: 1, Inputs: []string{"f32[...]", "i64[1]=0"}, Want: "f32[...]"},

		{Version: 1, Inputs: []string{"i64[]=2..5", "i64[1]=0"}, Want: "i64[1]=2..5"},
		{Version: 1, Inputs: []string{"i64[2]=1,?", "i64[]=-1"}, Want: "i64[2,1]=1,?"},
		{Version: 1, Inputs: []string{"i64[2]=1,?", "i64[1]"}, Want: "i64[...]"},
	})
}

func TestView(t *testing.T) {
	data := layertest.Counted(t, ir.String, 2, 3)
	got, err := layertest.Run(&Ops[0], nil, 1, data, layertest.Ints(t, ir.I64, ir.Shape{1}, 1))
	require.NoError(t, err)
	assert.Equal(t, ir.Shape{2, 1, 3}, got.Shape())
	assert.Equal(t, layertest.Elements(data), layertest.Elements(got))
}
