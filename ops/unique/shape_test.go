package unique

import (
	"testing"

	"github.com/vinoir/vinoir/ops/internal/layertest"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 10, Inputs: []string{"f32[2,3]"}, Want: "f32[1..6]"},
		{Version: 10, Inputs: []string{"f32[]"}, Want: "f32[1]"},
		{Version: 10, Inputs: []string{"f32[0,3]"}, Want: "f32[?]"},
		{Version: 10, Inputs: []string{"f32[?,3]"}, Want: "f32[?]"},
		{Version: 10, Attributes: layertest.Attributes{"sorted", "false"}, Inputs: []string{"string[2,3..4]", "i64[]=0"}, Want: "string[1..2,3..4]"},
		{Version: 10, Inputs: []string{"f32[2,3..4]", "i64[1]=-1"}, Want: "f32[2,1..4]"},
		{Version: 10, Inputs: []string{"f32[2,?]", "i64[1]=1"}, Want: "f32[2,?]"},
		{Version: 10, Inputs: []string{"f32[0,3]", "i64[1]=0"}, Want: "f32[0,3]"},
		{Version: 10, Inputs: []string{"f32[...]", "i64[1]=7"}, Want: "f32[...]"},
		{Version: 10, Inputs: []string{"f32[...]"}, Want: "f32[?]"},
		{Version: 10, Inputs: []string{"f32[2,3]", "i64[1]=2"}, Error: "axis 2 is outside [-2,1] for rank 2"},
		{Version: 10, Inputs: []string{"f32[2,3]", "i64[2]=0,1"}, Error: "axis has shape [2], not that of a scalar or of one element"},
		{Version: 10, Inputs: []string{"f32[2,3]", "i64[1]"}, Error: "axis is not a Constant"},
		{Version: 10, Inputs: []string{"f32[2,3]", "i8[1]=0"}, Error: "axis is i8, expected i32 or i64"},
		{Version: 10, Attributes: layertest.Attributes{"index_element_type", "u8"}, Inputs: []string{"f32[2,3]"}, Error: "attribute index_element_type: u8 is neither i32 nor i64"},
		{Version: 10, Attributes: layertest.Attributes{"count_element_type", "u8"}, Inputs: []string{"f32[2,3]"}, Error: "attribute count_element_type: u8 is neither i32 nor i64"},
	})
}
