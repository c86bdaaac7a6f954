package split

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	splits := func(n string) layertest.Attributes { return layertest.Attributes{"num_splits", n} }
	one, three := splits("1"), splits("3")
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Type: "Split-1", Attributes: three, Inputs: []string{"f32[6,5]", "i64[]=0"}, Want: "f32[2,5]"},
		{Type: "Split-1", Attributes: three, Inputs: []string{"string[5,6]", "i8[]=-1"}, Want: "string[5,2]"},
		{Type: "Split-1", Attributes: three, Inputs: []string{"u4[0]", "i64[]=0"}, Want: "u4[0]"},
		{Type: "Split-1", Attributes: splits("9223372036854775807"), Inputs: []string{"f32[0]", "i64[]=0"}, Want: "f32[0]"},
		{Type: "Split-1", Inputs: []string{"f32[6]", "i64[]=0"}, Error: "attribute num_splits: 0 is not positive"},
		{Type: "Split-1", Attributes: splits("-1"), Inputs: []string{"f32[6]", "i64[]=0"}, Error: "attribute num_splits: -1 is not positive"},
		{Type: "Split-1", Attributes: one, Inputs: []string{"f32[6]", "f32[]"}, Error: "axis is f32, not a type of integers"},
		{Type: "Split-1", Attributes: one, Inputs: []string{"f32[6]", "i64[1]=0"}, Error: "axis has shape [1], expected rank 0"},
		{Type: "Split-1", Attributes: one, Inputs: []string{"f32[6]", "i64[]=1"}, Error: "axis 1 is outside [-1,0] for rank 1"},
		{Type: "Split-1", Attributes: one, Inputs: []string{"f32[]", "i64[]=0"}, Error: "axis 0 is outside [0,-1] for rank 0"},
		{Type: "Split-1", Attributes: three, Inputs: []string{"f32[7]", "i64[]=0"}, Error: "axis 0 of data has 7 elements, which are not 3 pieces of one length"},
		{Type: "Split-1", Attributes: three, Inputs: []string{"f32[..2]", "i64[]=0"}, Error: "axis 0 of data has ..2 elements, fewer than 3 pieces"},

		{Type: "Split-1", Attributes: three, Inputs: []string{"f32[5..9,?]", "i64[]=0"}, Want: "f32[1..3,?]"},
		{Type: "Split-1", Attributes: three, Inputs: []string{"f32[7..,?]", "i64[]=0"}, Want: "f32[2..,?]"},
		{Type: "Split-1", Attributes: three, Inputs: []string{"f32[6,5]", "i64[]"}, Want: "f32[?,?]"},
		{Type: "Split-1", Attributes: three, Inputs: []string{"f32[6,5]", "i64[...]"}, Want: "f32[?,?]"},
		{Type: "Split-1", Attributes: three, Inputs: []string{"f32[...]", "i64[]=0"}, Want: "f32[...]"},
		{Type: "Split-1", Attributes: three, Inputs: []string{"i64[6]=1,2..5,3,4,5,6", "i64[]=0"}, Want: "i64[2]=1,2..5"},

		{Type: "VariadicSplit-1", Inputs: []string{"f32[6,5]", "i64[]=0", "i64[2]=2,4"}, Want: "f32[2,5]"},
		{Type: "VariadicSplit-1", Inputs: []string{"f32[6,5]", "i32[1]=-2", "i64[3]=-1,0,4"}, Want: "f32[2,5]"},
		{Type: "VariadicSplit-1", Inputs: []string{"f32[6,5]", "i64[]=1", "i64[2]=-1,5"}, Want: "f32[6,0]"},
		{Type: "VariadicSplit-1", Inputs: []string{"f32[6]", "i64[2]", "i64[2]"}, Error: "axis has shape [2], not that of a scalar or of one element"},
		{Type: "VariadicSplit-1", Inputs: []string{"f32[6]", "i64[1,1]", "i64[2]"}, Error: "axis has shape [1,1], not that of a scalar or of one element"},
		{Type: "VariadicSplit-1", Inputs: []string{"f32[6]", "i64[]=1", "i64[2]"}, Error: "axis 1 is outside [-1,0] for rank 1"},
		{Type: "VariadicSplit-1", Inputs: []string{"f32[6]", "i64[]=0", "i64[]"}, Error: "split_lengths has shape [], expected rank 1"},
		{Type: "VariadicSplit-1", Inputs: []string{"f32[6]", "i64[]=0", "i64[?]"}, Want: "f32[?]"},
		{Type: "VariadicSplit-1", Inputs: []string{"f32[6]", "i64[]=0", "i64[0]="}, Error: "the layer has 1 outputs, split_lengths has 0 elements"},
		{Type: "VariadicSplit-1", Inputs: []string{"f32[6]", "i64[]=0", "i64[2]=-2,8"}, Error: "split_lengths[0] is -2, less than -1"},
		{Type: "VariadicSplit-1", Inputs: []string{"f32[6]", "i64[]=0", "i64[2]=-1,-1"}, Error: "split_lengths[1] is -1, and split_lengths[0] before it"},
		{Type: "VariadicSplit-1", Inputs: []string{"f32[6]", "i64[]=0", "i64[2]=2,3"}, Error: "split_lengths adds up to 5, axis 0 of data has 6 elements"},
		{Type: "VariadicSplit-1", Inputs: []string{"f32[6]", "i64[]=0", "i64[2]=7,-1"}, Error: "split_lengths adds up to 7, axis 0 of data has 6 elements"},
		{Type: "VariadicSplit-1", Inputs: []string{"f32[?]", "i64[]=0", "i64[2]=9223372036854775807,1"}, Error: "split_lengths adds up to more than 2^63-1 at split_lengths[1]"},

		{Type: "VariadicSplit-1", Inputs: []string{"f32[?,5]", "i64[]=0", "i64[2]=-1,4"}, Want: "f32[?,5]"},
		{Type: "VariadicSplit-1", Inputs: []string{"f32[..3,5]", "i64[]=0", "i64[2]=4,-1"}, Want: "f32[4,5]"},
		{Type: "VariadicSplit-1", Inputs: []string{"f32[6,5]", "i64[]=0", "i64[2]"}, Want: "f32[?,5]"},
		{Type: "VariadicSplit-1", Inputs: []string{"f32[6,5]", "i64[?]", "i64[2]=2,4"}, Want: "f32[?,?]"},
		{Type: "VariadicSplit-1", Inputs: []string{"f32[...]", "i64[]=0", "i64[2]=2,4"}, Want: "f32[...]"},
	})
}

// TestOutputs checks all outputs of a layer, and their values.
func TestOutputs(t *testing.T) {
	variadic := layertest.FindType(t, Ops, "VariadicSplit-1")
	all, err := layertest.InferOutputs(t, variadic, nil, 3, "i64[2,4]=1,2,3,4,5,6,7..9,8", "i64[]=1", "i64[3]=1,-1,1")
	require.NoError(t, err)
	require.Equal(t, []string{"i64[2,1]=1,5", "i64[2,2]=2,3,6,7..9", "i64[2,1]=4,8"}, all)
	_, err = layertest.InferOutputs(t, layertest.FindType(t, Ops, "Split-1"), layertest.Attributes{"num_splits", "2"}, 3, "f32[4]", "i64[]=0")
	require.EqualError(t, err, "the layer has 3 outputs, num_splits is 2")
}
