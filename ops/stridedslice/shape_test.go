package stridedslice

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	two := "i64[2]=1,1"
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Inputs: []string{"f32[10,4]", "i64[1]=2", "i64[1]=9", "i64[1]=3"}, Want: "f32[3,4]"},
		{Version: 1, Inputs: []string{"string[10,4]", "i32[2]=-3,1", "u8[2]=100,2"}, Want: "string[3,1]"},
		{Version: 1, Inputs: []string{"u4[5]", "i64[1]=-9", "i64[1]=-9", "i64[1]=-1"}, Want: "u4[1]"},
		{Version: 1, Inputs: []string{"f32[]", "i64[0]=", "i64[0]=", "i64[0]="}, Want: "f32[]"},
		{Version: 1, Attributes: layertest.Attributes{"begin_mask", "1,0", "end_mask", "0,1"}, Inputs: []string{"f32[10,4]", "i64[2]=7,1", "i64[2]=5,2", two}, Want: "f32[5,3]"},
		{Version: 1, Attributes: layertest.Attributes{"begin_mask", "1,0", "end_mask", "0,1"}, Inputs: []string{"f32[10,4]", "i64[2]=7,2", "i64[2]=5,2", "i64[2]=-1,-2"}, Want: "f32[4,2]"},
		{Version: 1, Attributes: layertest.Attributes{"begin_mask", "0,0", "new_axis_mask", "1,0"}, Inputs: []string{"f32[10,4]", two, "i64[2]=5,2", two}, Want: "f32[1,1,4]"},
		{Version: 1, Attributes: layertest.Attributes{"begin_mask", "0,0", "shrink_axis_mask", "0,1"}, Inputs: []string{"f32[10,4]", two, "i64[2]=5,2", two}, Want: "f32[4]"},
		{Version: 1, Attributes: layertest.Attributes{"begin_mask", "0,0", "ellipsis_mask", "1,0"}, Inputs: []string{"f32[2,3,4,5]", two, "i64[2]=1,2", two}, Want: "f32[2,3,4,1]"},
		{Version: 1, Attributes: layertest.Attributes{"begin_mask", "0,0,0", "ellipsis_mask", "0,1,0", "new_axis_mask", "0,1,1", "shrink_axis_mask", "1,0,1"},
			Inputs: []string{"f32[2,3,4]", "i64[3]=0,0,0", "i64[3]=1,1,1"}, Want: "f32[3,4,1]"},
		{Version: 1, Attributes: layertest.Attributes{"begin_mask", "0,1,1,1", "end_mask", ""}, Inputs: []string{"f32[4]", "i64[1]=1", "i64[1]=3"}, Want: "f32[2]"},

		{Version: 1, Attributes: layertest.Attributes{"begin_mask", "2"}, Inputs: []string{"f32[4]", "i64[1]", "i64[1]"}, Error: "attribute begin_mask: element 0 is 2, neither 0 nor 1"},
		{Version: 1, Attributes: layertest.Attributes{"end_mask", "0"}, Inputs: []string{"f32[4]", "i64[1]", "i64[1]"}, Error: "attribute end_mask: it has 1 elements, begin_mask has 0"},
		{Version: 1, Attributes: layertest.Attributes{"begin_mask", "0,0", "ellipsis_mask", "1,1"}, Inputs: []string{"f32[4]", "i64[1]", "i64[1]"}, Error: "attribute ellipsis_mask: 2 elements are 1, one at most may be"},
		{Version: 1, Inputs: []string{"f32[4]", "f32[1]", "i64[1]"}, Error: "begin is f32, not a type of integers"},
		{Version: 1, Inputs: []string{"f32[4]", "i64[1]", "boolean[1]"}, Error: "end is boolean, not a type of integers"},
		{Version: 1, Inputs: []string{"f32[...]", "i64[1]", "i64[1]", "i64[]"}, Error: "strides has shape [], expected rank 1"},
		{Version: 1, Inputs: []string{"f32[4]", "i64[1]", "i64[2]"}, Error: "end has 2 elements, begin has 1"},
		{Version: 1, Inputs: []string{"f32[4]", "i64[1]", "i64[?]", two}, Error: "strides has 2 elements, begin has 1"},
		{Version: 1, Inputs: []string{"f32[4]", "i64[2]", "i64[2]"}, Error: "begin has 2 elements, data has 1 axes and new_axis_mask adds 0"},
		{Version: 1, Attributes: layertest.Attributes{"begin_mask", "0,0,0", "new_axis_mask", "0,0,1"}, Inputs: []string{"f32[4]", "i64[2]", "i64[2]"}, Error: "begin has an element 1 for axis 1, data has 1 axes"},
		{Version: 1, Attributes: layertest.Attributes{"begin_mask", "0", "ellipsis_mask", "1"}, Inputs: []string{"f32[4]", "i64[9223372036854775806]", "i64[?]"}, Error: "begin has an element 2 for axis 1, data has 1 axes"},
		{Version: 1, Inputs: []string{"f32[4]", "i64[1]=1", "i64[1]=2", "i64[1]=0"}, Error: "strides[0] is 0"},

		{Version: 1, Inputs: []string{"f32[?,4]", "i64[1]=1", "i64[1]=9223372036854775807"}, Want: "f32[?,4]"},
		{Version: 1, Inputs: []string{"f32[4..9]", "i64[1]=1", "i64[1]=6", "i64[1]=2"}, Want: "f32[2..3]"},
		{Version: 1, Attributes: layertest.Attributes{"begin_mask", "1", "end_mask", "1"}, Inputs: []string{"f32[3..]", "i64[1]=1", "i64[1]=1"}, Want: "f32[3..]"},
		{Version: 1, Attributes: layertest.Attributes{"begin_mask", "1", "end_mask", "1"}, Inputs: []string{"f32[3..7]", "i64[1]=1", "i64[1]=1", "i64[1]=-1"}, Want: "f32[3..7]"},
		{Version: 1, Attributes: layertest.Attributes{"begin_mask", "1", "end_mask", "1"}, Inputs: []string{"f32[?]", "i64[1]=1", "i64[1]=1", "i64[1]=-2"}, Want: "f32[?]"},
		{Version: 1, Inputs: []string{"f32[3..]", "i32[1]=-1", "i32[1]=2147483647", "i32[1]=2"}, Want: "f32[1]"},
		{Version: 1, Inputs: []string{"f32[10]", "i64[1]=1..3", "i64[1]=7..8"}, Want: "f32[4..7]"},
		{Version: 1, Inputs: []string{"f32[10,4]", "i64[1]", "i64[1]=5"}, Want: "f32[..10,4]"},
		{Version: 1, Inputs: []string{"f32[10,4]", "i64[1]=1", "i64[1]=5", "i64[?]"}, Want: "f32[..10,4]"},
		{Version: 1, Inputs: []string{"f32[10,?]", "i64[2]", "i64[2]", "i64[2]=-3,2"}, Want: "f32[..4,?]"},
		{Version: 1, Attributes: layertest.Attributes{"begin_mask", "1,1", "end_mask", "1,1"}, Inputs: []string{"f32[10,3..4]", "i64[2]", "i64[2]"}, Want: "f32[10,3..4]"},
		{Version: 1, Attributes: layertest.Attributes{"begin_mask", "1,1", "end_mask", "1,1"}, Inputs: []string{"f32[10,5,6]", "i64[2]", "i64[2]", "i64[2]=3,2"}, Want: "f32[4,..3,6]"},
		{Version: 1, Attributes: layertest.Attributes{"begin_mask", "1,1", "end_mask", "0,0"}, Inputs: []string{"f32[10,4]", "i64[2]", "i64[2]=3,-1"}, Want: "f32[3,..4]"},
		{Version: 1, Attributes: layertest.Attributes{"begin_mask", "0,0", "shrink_axis_mask", "1,1"}, Inputs: []string{"f32[10,4]", "i64[2]", "i64[2]", "i64[2]=0,0"}, Want: "f32[]"},
		{Version: 1, Inputs: []string{"f32[4]", "i64[1]", "i64[1]", "i64[1]=0"}, Error: "strides[0] is 0"},
		{Version: 1, Inputs: []string{"f32[10,4]", "i64[?]", "i64[?]", "i64[2]"}, Want: "f32[...]"},
		{Version: 1, Inputs: []string{"f32[10,4]", "i64[?]", "i64[?]", two}, Want: "f32[..10,..4]"},
		{Version: 1, Inputs: []string{"f32[...]", "i64[1]=1", "i64[1]=5"}, Want: "f32[...]"},

		{Version: 1, Inputs: []string{"i64[4]=1,2..5,?,7", "i64[1]=1", "i64[1]=3"}, Want: "i64[2]=2..5,?"},
		{Version: 1, Inputs: []string{"i64[4]=1,2..5,?,7", "i64[1]=-1", "i64[1]=-9", "i64[1]=-2"}, Want: "i64[2]=7,2..5"},
		{Version: 1, Attributes: layertest.Attributes{"begin_mask", "0", "shrink_axis_mask", "1"}, Inputs: []string{"i64[4]=1,2..5,?,7", "i64[1]=1", "i64[1]=2"}, Want: "i64[]=2..5"},
		{Version: 1, Attributes: layertest.Attributes{"begin_mask", "1", "shrink_axis_mask", "1"}, Inputs: []string{"i64[4]=1,2,3,4", "i64[1]=2", "i64[1]=3"}, Want: "i64[]=1"},
		{Version: 1, Attributes: layertest.Attributes{"begin_mask", "0", "shrink_axis_mask", "1"}, Inputs: []string{"i64[4]=1,2,3,4", "i64[1]=4", "i64[1]=2"}, Want: "i64[]"},
		{Version: 1, Attributes: layertest.Attributes{"begin_mask", "0,0", "new_axis_mask", "1,0", "shrink_axis_mask", "0,1"}, Inputs: []string{"i64[2]=1,2", "i64[2]=0,-1", "i64[2]=0,0"}, Want: "i64[1]=2"},
	})
}
