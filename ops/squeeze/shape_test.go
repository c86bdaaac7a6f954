package squeeze

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func TestShapes(t *testing.T) {
	skip := layertest.Attributes{"allow_axis_skip", "true"}
	for _, version := range []int{1, 15} {
		layertest.Shapes(t, Ops, []layertest.ShapeCase{
			{Version: version, Inputs: []string{"f32[1,2,1,3]"}, Want: "f32[2,3]"},
			{Version: version, Inputs: []string{"f32[1,2,1,3]", "i64[0]="}, Want: "f32[2,3]"},
			{Version: version, Inputs: []string{"f32[1,2,1,3]", "i64[2]=0,-2"}, Want: "f32[2,3]"},
			{Version: version, Inputs: []string{"f32[1,2,1,3]", "i32[]=2"}, Want: "f32[1,2,3]"},
			{Version: version, Inputs: []string{"f32[1,2,1,3]", "i64[3]=1,0,0"}, Want: "f32[2,1,3]"},
			{Version: version, Inputs: []string{"f32[1,0]", "i64[1]=1"}, Want: "f32[1,0]"},
			{Version: version, Inputs: []string{"f32[1]", "i64[1]=0"}, Want: "f32[]"},
			{Version: version, Inputs: []string{"f32[]"}, Want: "f32[]"},
			{Version: version, Inputs: []string{"f32[]", "i64[1]=-1"}, Want: "f32[]"},
			{Version: version, Inputs: []string{"f32[1,2]", "i64[1]=2"}, Error: "axis 2 is outside [-2,1] for rank 2"},
			{Version: version, Inputs: []string{"f32[]", "i64[1]=1"}, Error: "axis 1 is outside [-1,0] for rank 1"},
			{Version: version, Inputs: []string{"f32[1,2]", "i64[1,1]=0"}, Error: "axes has shape [1,1], not that of a vector or scalar"},

			{Version: version, Inputs: []string{"f32[?,1,2..3]"}, Want: "f32[...]"},
			{Version: version, Inputs: []string{"f32[2..,1,2..3]"}, Want: "f32[2..,2..3]"},
			{Version: version, Inputs: []string{"f32[?,1,2..3]", "i64[1]=0"}, Want: "f32[1,2..3]"},
			{Version: version, Inputs: []string{"f32[?,1,2..3]", "i64[1]=2"}, Want: "f32[?,1,2..3]"},
			{Version: version, Inputs: []string{"f32[2,3..]", "i64[1]"}, Want: "f32[2,3..]"},
			{Version: version, Inputs: []string{"f32[2,1]", "i64[2]"}, Want: "f32[...]"},
			{Version: version, Inputs: []string{"f32[2,1]", "i64[?]"}, Want: "f32[...]"},
			{Version: version, Inputs: []string{"f32[]", "i64[1]"}, Want: "f32[...]"},
			{Version: version, Inputs: []string{"f32[...]", "i64[1]=0"}, Want: "f32[...]"},
			{Version: version, Inputs: []string{"f32[...]"}, Want: "f32[...]"},

			{Version: version, Inputs: []string{"i64[1]=2..5", "i64[1]=0"}, Want: "i64[]=2..5"},
			{Version: version, Inputs: []string{"i64[1,2]=4,?"}, Want: "i64[2]=4,?"},
			{Version: version, Inputs: []string{"i64[1]=2..5", "i64[?]"}, Want: "i64[...]"},
		})
	}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Inputs: []string{"f32[2,1,?]", "i64[1]"}, Want: "f32[?,?]"},
		{Version: 15, Inputs: []string{"f32[2,1,?]", "i64[1]"}, Want: "f32[...]"},
		{Version: 15, Attributes: skip, Inputs: []string{"f32[?,1]", "i64[1]=0"}, Want: "f32[...]"},
		{Version: 15, Attributes: skip, Inputs: []string{"f32[?,1]", "i64[1]=1"}, Want: "f32[?]"},
		{Version: 15, Attributes: skip, Inputs: []string{"f32[2..,1]", "i64[2]=0,1"}, Want: "f32[2..]"},
	})
}

func TestView(t *testing.T) {
	data := layertest.Counted(t, ir.U4, 1, 3, 1, 5)
	got, err := layertest.Run(&Ops[1], nil, 1, data, layertest.Ints(t, ir.I64, ir.Shape{2}, 0, 1))
	require.NoError(t, err)
	assert.Equal(t, ir.Shape{3, 1, 5}, got.Shape())
	assert.Equal(t, layertest.Elements(data), layertest.Elements(got))
}
