package gather

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func TestShapes(t *testing.T) {
	batch := func(n string) layertest.Attributes { return layertest.Attributes{"batch_dims", n} }
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 8, Inputs: []string{"f32[2,3]", "i64[4,5]", "i64[]=1"}, Want: "f32[2,4,5]"},
		{Version: 8, Inputs: []string{"f32[2,3]", "i64[4,5]", "i64[1]=-2"}, Want: "f32[4,5,3]"},
		{Version: 7, Inputs: []string{"f32[2,3]", "i64[]", "i64[]=0"}, Want: "f32[3]"},
		{Version: 1, Inputs: []string{"string[7]", "i64[]", "i64[]=0"}, Want: "string[]"},
		{Version: 8, Inputs: []string{"f32[2,0]", "u8[0]", "u64[]=0"}, Want: "f32[0,0]"},
		{Version: 8, Attributes: batch("1"), Inputs: []string{"f32[2,3,4]", "i32[2,5]", "i32[]=2"}, Want: "f32[2,3,5]"},
		{Version: 8, Attributes: batch("-1"), Inputs: []string{"f32[2,3]", "i32[2,4]", "i32[]=1"}, Want: "f32[2,4]"},
		{Version: 8, Attributes: batch("1"), Inputs: []string{"f32[2]", "i32[2]", "i32[]=0"}, Error: "batch_dims 1 is above axis 0"},
		{Version: 1, Attributes: batch("1"), Inputs: []string{"f32[2]", "i32[2]", "i32[]=0"}, Want: "f32[2]"},

		{Version: 8, Inputs: []string{"f32[?,2..5,3]", "i64[1..,?]", "i64[]=0"}, Want: "f32[1..,?,2..5,3]"},
		{Version: 8, Attributes: batch("1"), Inputs: []string{"f32[2..4,3]", "i64[3..9,?]", "i64[]=1"}, Want: "f32[3..4,?]"},
		{Version: 8, Attributes: batch("1"), Inputs: []string{"f32[2..4,3]", "i64[5..9,?]", "i64[]=1"}, Error: "data [2..4,3] and indices [5..9,?] differ in batch axis 0"},
		{Version: 8, Inputs: []string{"f32[2,3]", "i64[2]", "i64[]"}, Want: "f32[?,?]"},
		{Version: 8, Attributes: batch("2"), Inputs: []string{"f32[2,3]", "i64[2,3,5]", "i64[]"}, Want: "f32[2,3]"},
		{Version: 8, Attributes: batch("2"), Inputs: []string{"f32[2,3]", "i64[2,3]", "i64[]"}, Error: "data [2,3] has no axis behind 2 batch axes"},
		{Version: 8, Inputs: []string{"f32[2,3]", "i64[2]", "i64[?]"}, Want: "f32[?,?]"},
		{Version: 8, Inputs: []string{"f32[]", "i64[2]", "i64[]"}, Want: "f32[]"},
		{Version: 8, Inputs: []string{"f32[]", "i64[]", "i64[]"}, Error: "data [] has no axis behind 0 batch axes"},

		{Version: 8, Inputs: []string{"f32[...]", "i64[2]", "i64[]=7"}, Want: "f32[...]"},
		{Version: 8, Inputs: []string{"f32[2,3]", "i64[...]", "i64[]=1"}, Want: "f32[...]"},
		{Version: 8, Attributes: batch("-1"), Inputs: []string{"f32[...]", "i64[2,3]", "i64[]=1"}, Want: "f32[...]"},
		{Version: 8, Attributes: batch("1"), Inputs: []string{"f32[...]", "i64[2,3]", "i64[]=-1"}, Want: "f32[...]"},
		{Version: 8, Attributes: batch("1"), Inputs: []string{"f32[...]", "i64[2,3]", "i64[]=0"}, Error: "batch_dims 1 is above axis 0"},
		{Version: 8, Attributes: batch("2"), Inputs: []string{"f32[...]", "i64[2]", "i64[]=5"}, Error: "batch_dims 2 is above the rank of indices [2]"},
		{Version: 8, Inputs: []string{"f32[2,3]", "i64[...]", "i64[]=2"}, Error: "axis 2 is outside [-2,1] for rank 2"},
		{Version: 8, Inputs: []string{"f32[]", "i64[2]", "i64[]=0"}, Error: "axis 0 is outside [0,-1] for rank 0"},
		{Version: 8, Attributes: batch("-3"), Inputs: []string{"f32[2,3]", "i64[2,3]", "i64[]=1"}, Error: "batch_dims -3 is below -2, the rank of indices [2,3]"},
		{Version: 8, Inputs: []string{"f32[2,3]", "i64[2]", "i64[2]=0,1"}, Error: "axis has shape [2], not that of a scalar or of one element"},
		{Version: 8, Inputs: []string{"f32[2,3]", "i64[2]", "i64[1,1]=0"}, Error: "axis has shape [1,1], not that of a scalar or of one element"},

		{Version: 8, Inputs: []string{"dynamic[2]", "dynamic[2]", "dynamic[]"}, Want: "dynamic[?]"},
		{Version: 8, Inputs: []string{"f32[2]", "f32[2]", "i64[]=0"}, Error: "indices are f32, not of an integer type"},
		{Version: 7, Inputs: []string{"f32[2]", "boolean[2]", "i64[]=0"}, Error: "indices are boolean, not of an integer type"},
		{Version: 7, Inputs: []string{"f32[2]", "i64[2]", "f32[]"}, Error: "axis is f32, not of an integer type"},
		{Version: 1, Inputs: []string{"f32[2]", "f32[2]", "f32[]"}, Want: "f32[?]"},
	})
}

// TestUnknownRank checks that the rule sets the shape, whatever it was before.
func TestUnknownRank(t *testing.T) {
	in := &ops.Inference{Attributes: attributes{}, Outputs: []ir.Fact{{Shape: ir.StaticShape(7)}}}
	for _, text := range []string{"f32[...]", "i64[2]", "i64[]"} {
		in.Inputs = append(in.Inputs, layertest.Fact(t, text))
	}
	require.NoError(t, infer(in))
	assert.Equal(t, "f32[...]", layertest.FactText(&in.Outputs[0]))
}

// TestBounds follows the values of subgraphs that compute shapes.
func TestBounds(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 8, Inputs: []string{"i64[4]=1,2..5,?,7", "i64[]=1", "i64[]=0"}, Want: "i64[]=2..5"},
		{Version: 8, Inputs: []string{"i64[4]=1,2..5,?,7", "i64[3]=-1,0,2", "i64[]=0"}, Want: "i64[3]=7,1,?"},
		{Version: 8, Inputs: []string{"i64[4]=1,2..,3,7", "i64[2,1]=1,1", "i64[]=0"}, Want: "i64[2,1]=2..,2.."},
		{Version: 8, Inputs: []string{"i64[2,2]=1,2,3,4", "i64[1]=1", "i64[]=1"}, Want: "i64[2,1]=2,4"},
		{Version: 8, Attributes: layertest.Attributes{"batch_dims", "1"}, Inputs: []string{"i64[2,2]=1,2,3,4", "i64[2,1]=1,0", "i64[]=1"}, Want: "i64[2,1]=2,3"},
		{Version: 8, Inputs: []string{"i64[2]=5,6", "i64[3]=2,-3,1", "i64[]=0"}, Want: "i64[3]=0,0,6"},
		{Version: 7, Inputs: []string{"i64[2]=5,6", "i64[3]=2,-1,1", "i64[]=0"}, Want: "i64[3]=0,0,6"},
		{Version: 8, Inputs: []string{"i64[0]=", "i64[0]=", "i64[]=0"}, Want: "i64[0]="},
		{Version: 8, Inputs: []string{"i64[0]=", "i64[1]=0", "i64[]=0"}, Want: "i64[1]=0"},
		{Version: 8, Inputs: []string{"i64[2]=5,6", "i64[1]=0..1", "i64[]=0"}, Want: "i64[1]"},
		{Version: 8, Inputs: []string{"i64[2]=5,6", "i64[1]", "i64[]=0"}, Want: "i64[1]"},
		{Version: 8, Inputs: []string{"i64[2]=5,6", "i64[1]=0", "i64[]"}, Want: "i64[?]"},
		{Version: 8, Inputs: []string{"i64[2]", "i64[1]=0", "i64[]=0"}, Want: "i64[1]"},
	})
}
