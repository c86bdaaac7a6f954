package broadcast

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func TestShapes(t *testing.T) {
	numpy := layertest.Attributes{"mode", "numpy"}
	explicit := layertest.Attributes{"mode", "explicit"}
	both := layertest.Attributes{"mode", "bidirectional"}
	pdpd1 := func(axis string) layertest.Attributes {
		return layertest.Attributes{"mode", "pdpd", "mode.auto_broadcast_axis", axis}
	}
	pdpd3 := func(axis string) layertest.Attributes {
		return layertest.Attributes{"mode", "pdpd", "mode.mode.axis", axis}
	}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 3, Inputs: []string{"f32[3,1]", "i64[3]=2,3,4"}, Want: "f32[2,3,4]"},
		{Version: 1, Attributes: numpy, Inputs: []string{"string[]", "i32[2]=0,4"}, Want: "string[0,4]"},
		{Version: 3, Attributes: numpy, Inputs: []string{"f32[]", "i64[0]="}, Want: "f32[]"},
		{Version: 3, Inputs: []string{"f32[2,3]", "i64[1]=3"}, Error: "target_shape [3] has fewer axes than data of shape [2,3]"},
		{Version: 3, Inputs: []string{"f32[2,3]", "i64[2]=2,4"}, Error: "dimension 1 of data is 3, that of target_shape 4"},
		{Version: 3, Inputs: []string{"f32[3]", "i64[1]=-1"}, Error: "target_shape[0] is negative: -1"},
		{Version: 3, Inputs: []string{"f32[3]", "f32[1]"}, Error: "target_shape is f32, not a type of integers"},
		{Version: 3, Inputs: []string{"f32[3]", "i64[1,1]=3"}, Error: "target_shape has shape [1,1], not that of a vector"},
		{Version: 3, Inputs: []string{"f32[3]", "i64[1]=3", "i64[1]=0"}, Error: "3 inputs are connected, the mode asks for 2"},
		{Version: 3, Attributes: layertest.Attributes{"mode", "best"}, Inputs: []string{"f32[3]", "i64[1]"}, Error: `attribute mode: "best" is none of none, explicit, numpy, pdpd, bidirectional`},
		{Version: 1, Attributes: both, Inputs: []string{"f32[3]", "i64[1]"}, Error: `attribute mode: "bidirectional" is none of none, explicit, numpy, pdpd`},

		{Version: 3, Attributes: explicit, Inputs: []string{"f32[3]", "i64[3]=2,3,4", "i64[1]=1"}, Want: "f32[2,3,4]"},
		{Version: 3, Attributes: explicit, Inputs: []string{"f32[2,1]", "i64[3]=2,3,4", "i64[2]=0,2"}, Want: "f32[2,3,4]"},
		{Version: 3, Attributes: explicit, Inputs: []string{"f32[]", "i64[2]=1,3", "i64[1]=0"}, Want: "f32[1,3]"},
		{Version: 3, Attributes: explicit, Inputs: []string{"f32[]", "i64[2]=2,3", "i64[1]=0"}, Error: "dimension 0 of data is 1, that of target_shape it is mapped to 2"},
		{Version: 3, Attributes: explicit, Inputs: []string{"f32[3]", "i64[2]=2,3"}, Error: "2 inputs are connected, the mode asks for 3"},
		{Version: 3, Attributes: explicit, Inputs: []string{"f32[3]", "i64[2]=2,3", "f32[1]"}, Error: "axes_mapping is f32, not a type of integers"},
		{Version: 3, Attributes: explicit, Inputs: []string{"f32[3]", "i64[2]=2,3", "i64[]=1"}, Error: "axes_mapping has shape [], not that of a vector"},
		{Version: 3, Attributes: explicit, Inputs: []string{"f32[2,3]", "i64[2]=2,3", "i64[1]=0"}, Error: "axes_mapping has 1 elements, data of shape [2,3] has 2 axes"},
		{Version: 3, Attributes: explicit, Inputs: []string{"f32[2,3]", "i64[2]=3,2", "i64[2]=1,0"}, Error: "axes_mapping [1 0] is not in rising order"},
		{Version: 3, Attributes: explicit, Inputs: []string{"f32[2]", "i64[2]=3,2", "i64[1]=2"}, Error: "axes_mapping[0] is 2, target_shape [3,2] has 2 axes"},
		{Version: 3, Attributes: explicit, Inputs: []string{"f32[2]", "i64[2]=3,2", "i64[1]=0"}, Error: "dimension 0 of data is 2, that of target_shape it is mapped to 3"},

		{Version: 1, Attributes: pdpd1("1"), Inputs: []string{"f32[3,1]", "i64[4]=2,3,4,5"}, Want: "f32[2,3,4,5]"},
		{Version: 3, Attributes: pdpd3("0"), Inputs: []string{"f32[2,3]", "i64[3]=2,1,4"}, Want: "f32[2,3,4]"},
		{Version: 3, Attributes: pdpd3("-1"), Inputs: []string{"f32[4]", "i64[3]=2,3,4"}, Want: "f32[2,3,4]"},
		{Version: 3, Attributes: pdpd3("1"), Inputs: []string{"f32[3,1,1]", "i64[2]=2,3"}, Want: "f32[2,3]"},
		{Version: 3, Attributes: pdpd3("1"), Inputs: []string{"f32[3,2]", "i64[2]=2,3"}, Error: "dimension 1 of data is 2, target_shape [2,3] has no axis for it"},
		{Version: 3, Attributes: pdpd3("1"), Inputs: []string{"f32[3]", "i64[2]=2,4"}, Error: "dimension 0 of data is 3, that of target_shape 4"},
		{Version: 3, Attributes: pdpd3("-2"), Inputs: []string{"f32[3]", "i64[2]=2,3"}, Error: "axis -2 is outside of the 2 axes of target_shape"},
		{Version: 3, Attributes: pdpd3("-1"), Inputs: []string{"f32[2,3]", "i64[1]=3"}, Error: "axis -1 is outside of the 1 axes of target_shape"},

		{Version: 3, Attributes: both, Inputs: []string{"f32[2,1,3]", "i64[2]=4,1"}, Want: "f32[2,4,3]"},
		{Version: 3, Attributes: both, Inputs: []string{"f32[3]", "i64[2]=2,4"}, Error: "data of shape [3] and target_shape [2,4] do not broadcast"},

		{Version: 3, Inputs: []string{"f32[?,2..3]", "i64[3]=1..,?,3"}, Want: "f32[1..,?,3]"},
		{Version: 3, Inputs: []string{"f32[?,3]", "i64[2]"}, Want: "f32[?,?]"},
		{Version: 3, Inputs: []string{"f32[2]", "i64[?]"}, Want: "f32[...]"},
		{Version: 3, Inputs: []string{"f32[...]", "i64[2]=2,3"}, Want: "f32[2,3]"},
		{Version: 3, Attributes: explicit, Inputs: []string{"f32[3]", "i64[2]", "i64[1]"}, Want: "f32[?,?]"},
		{Version: 3, Attributes: explicit, Inputs: []string{"f32[...]", "i64[2]=2,3", "i64[?]"}, Want: "f32[2,3]"},
		{Version: 3, Attributes: pdpd3("0"), Inputs: []string{"f32[...]", "i64[2]=2,3"}, Want: "f32[?,?]"},
		{Version: 3, Attributes: pdpd3("1"), Inputs: []string{"f32[2..4]", "i64[2]=2,3.."}, Want: "f32[2,3..4]"},
		{Version: 3, Attributes: both, Inputs: []string{"f32[...]", "i64[2]=2,3"}, Want: "f32[...]"},
		{Version: 3, Attributes: both, Inputs: []string{"f32[...]", "i64[2]"}, Want: "f32[...]"},
		{Version: 3, Attributes: both, Inputs: []string{"f32[3]", "i64[2]"}, Want: "f32[?,3]"},
		{Version: 3, Attributes: both, Inputs: []string{"f32[3]", "i64[?]"}, Want: "f32[...]"},
		{Version: 3, Attributes: both, Inputs: []string{"f32[?,2..4]", "i64[2]=5,?"}, Want: "f32[5,2..4]"},

		{Version: 3, Inputs: []string{"i64[1]=2..5", "i64[1]=3"}, Want: "i64[3]=2..5,2..5,2..5"},
		{Version: 3, Attributes: explicit, Inputs: []string{"i64[2]=1,?", "i64[2]=2,2", "i64[1]=0"}, Want: "i64[2,2]=1,1,?,?"},
		{Version: 3, Inputs: []string{"i64[1]=2", "i64[1]=3..4"}, Want: "i64[3..4]"},
		{Version: 3, Inputs: []string{"i64[1]=2", "i64[1]=1025"}, Want: "i64[1025]"},
	})
}

// TestFromConcat has an unknown target shape that is joined from elements. Some elements are
// constants.
func TestFromConcat(t *testing.T) {
	constant := &ir.Layer{Type: "Constant", Constant: layertest.Ints(t, ir.I64, ir.Shape{1}, 7)}
	concat := &ir.Layer{Type: "Concat", Inputs: []ir.Input{{Source: &ir.Layer{Type: "Parameter"}}, {Source: constant}}}
	layer := &ir.Layer{Inputs: []ir.Input{{}, {Source: concat}}}
	in := &ops.Inference{
		Layer: layer, Attributes: attributes{mode: numpy, inputs: 2},
		Inputs: []ir.Fact{layertest.Fact(t, "f32[?,1]"), layertest.Fact(t, "i64[2]")}, Outputs: make([]ir.Fact, 1),
	}
	require.NoError(t, infer(in))
	assert.Equal(t, "[?,7]", in.Outputs[0].Shape.String())
}
