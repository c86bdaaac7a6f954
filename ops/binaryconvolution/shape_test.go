package binaryconvolution

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	type at = layertest.Attributes
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Inputs: []string{"f32[1,2,9,8]", "u1[3,2,3,3]"}, Want: "f32[1,3,7,6]"},
		{Version: 1, Inputs: []string{"i8[?,?,3..9,?]", "u1[3,2,3,1..2]"}, Want: "i8[?,3,1..7,1..]"},
		{Version: 1, Attributes: at{"auto_pad", "same_upper", "strides", "2,2"}, Inputs: []string{"f32[1,2,2..9,9]", "u1[3,2,3,..3]"}, Want: "f32[1,3,1..5,5]"},
		{Version: 1, Inputs: []string{"f32[...]", "u1[3,2,3,3]"}, Want: "f32[?,3,1..,1..]"},
		{Version: 1, Inputs: []string{"f32[1,2,9,9]", "u1[...]"}, Want: "f32[1,?,1..9,1..9]"},
		{Version: 1, Inputs: []string{"f32[...]", "u1[...]"}, Want: "f32[...]"},

		{Version: 1, Inputs: []string{"f32[1,2,9]", "u1[3,2,3]"}, Error: "data has shape [1,2,9], expected rank 4"},
		{Version: 1, Inputs: []string{"f32[1,3,9,9]", "u1[3,2,3,3]"}, Error: "data [1,3,9,9] has 3 channels, filters [3,2,3,3] has 2"},
		{Version: 1, Inputs: []string{"boolean[1,2,9,9]", "u1[3,2,3,3]"}, Error: "data is boolean, not a type of numbers"},
		{Version: 1, Inputs: []string{"f32[1,2,2,9]", "u1[3,2,3,3]"}, Error: "the window of 3 elements along spatial axis 0 is longer than the padded input of 2"},
		{Version: 1, Attributes: at{"mode", "and"}, Inputs: []string{"f32[1,2,9,9]", "u1[3,2,3,3]"}, Error: `attribute mode: "and" is none of xnor-popcount`},
		{Version: 1, Attributes: at{"dilations", "1"}, Inputs: []string{"f32[1,2,9,9]", "u1[3,2,3,3]"}, Error: "dilations has 1 elements for 2 spatial axes"},
	})
}
