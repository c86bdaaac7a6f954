package convolutionbackpropdata

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	type at = layertest.Attributes
	plain := func(want string, attributes at, inputs ...string) layertest.ShapeCase {
		return layertest.ShapeCase{Type: "ConvolutionBackpropData-1", Attributes: attributes, Inputs: inputs, Want: want}
	}
	groups := func(want string, attributes at, inputs ...string) layertest.ShapeCase {
		return layertest.ShapeCase{Type: "GroupConvolutionBackpropData-1", Attributes: attributes, Inputs: inputs, Want: want}
	}
	refused := func(err string, attributes at, inputs ...string) layertest.ShapeCase {
		c := plain("", attributes, inputs...)
		c.Error = err
		return c
	}
	two := at{"strides", "2"}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		plain("f32[1,3,19]", two, "f32[1,2,9]", "f32[2,3,3]"),
		plain("f32[1,3,11]", nil, "f32[1,2,9]", "f32[2,3,3]"),
		plain("f32[1,3,20]", at{"strides", "2", "output_padding", "1"}, "f32[1,2,9]", "f32[2,3,3]"),
		plain("f32[1,3,16]", at{"strides", "2", "pads_begin", "1", "pads_end", "2"}, "f32[1,2,9]", "f32[2,3,3]"),
		plain("f32[1,3,19]", at{"strides", "2", "pads_begin", "1", "auto_pad", "valid"}, "f32[1,2,9]", "f32[2,3,3]"),
		plain("f32[1,3,19]", at{"strides", "2", "pads_begin", "1", "auto_pad", "same_upper"}, "f32[1,2,9]", "f32[2,3,3]"),
		plain("f32[1,3,21]", at{"strides", "2", "dilations", "2"}, "f32[1,2,9]", "f32[2,3,3]"),
		plain("f32[1,3,0]", at{"pads_begin", "3"}, "f32[1,2,1]", "f32[2,3,3]"),
		plain("f32[1,3,?]", at{"pads_begin", "4"}, "f32[1,2,1]", "f32[2,3,3]"),
		plain("f32[1,3,3]", two, "f32[1,2,0]", "f32[2,3,3]"),
		plain("f32[1,3,7]", at{"auto_pad", "same_lower"}, "f32[1,2,9]", "f32[2,3,3]", "i32[1]=7"),

		plain("f32[1,3,3..9]", two, "f32[1,2,..4]", "f32[2,3,3]"),
		plain("f32[1,3,6..9]", two, "f32[1,2,3..4]", "f32[2,3,2..3]"),
		plain("f32[1,3,..3]", at{"strides", "2", "pads_begin", "4"}, "f32[1,?,..3]", "f32[2,3,3]"),
		plain("f32[1,?,17..]", two, "f32[1,2,9]", "f32[...]"),
		plain("f32[?,3,3..]", two, "f32[...]", "f32[2,3,3]"),
		plain("f32[?,?,1..]", two, "f32[...]", "f32[...]"),
		plain("f32[...]", nil, "f32[...]", "f32[...]"),
		plain("f32[1,3,?]", at{"strides", "1073741824"}, "f32[1,2,9223372036854775806]", "f32[2,3,3]"),
		plain("f32[1,3,3..5]", nil, "f32[1,2,9]", "f32[2,3,3]", "i64[1]=3..5"),
		plain("f32[1,3,?]", nil, "f32[1,2,9]", "f32[2,3,3]", "i64[1]"),
		plain("f32[1,3,?]", nil, "f32[1,2,9]", "f32[2,3,3]", "i64[?]"),
		plain("f32[?,?,?,?]", nil, "f32[...]", "f32[...]", "i64[2]"),
		plain("f32[?,?,7]", nil, "f32[...]", "f32[...]", "i64[1]=7"),

		groups("f32[1,6,19]", two, "f32[1,4,9]", "f32[2,2,3,3]"),
		groups("f32[1,6,19]", two, "f32[1,4,9]", "f32[?,2,3,3]"),
		groups("f32[1,6..,19]", two, "f32[1,4..,9]", "f32[2..,2,3..,3]"),
		groups("f32[?,6,3..]", two, "f32[...]", "f32[2,2,3,3]"),
		groups("f32[1,?,17..]", two, "f32[1,4,9]", "f32[...]"),
		groups("f32[?,?,?]", nil, "f32[...]", "f32[...]", "i64[1]=?"),

		refused("data is f32, filters is f16", nil, "f32[1,2,9]", "f16[2,3,3]"),
		refused("data is boolean, not a type of numbers", nil, "boolean[1,2,9]", "boolean[2,3,3]"),
		refused("data [1,2,9] has 2 channels, filters [3,3,3] takes 3", nil, "f32[1,2,9]", "f32[3,3,3]"),
		refused("data has shape [1,2,9], filters has shape [2,3,3,3]: the ranks differ", nil, "f32[1,2,9]", "f32[2,3,3,3]"),
		refused("output_padding has 2 elements for 1 spatial axes", at{"output_padding", "0,0"}, "f32[1,2,9]", "f32[2,3,3]"),
		refused("strides has 2 elements for 1 spatial axes", at{"strides", "1,1"}, "f32[1,2,9]", "f32[2,3,3]"),
		refused("output_shape is f32, not a type of integers", nil, "f32[1,2,9]", "f32[2,3,3]", "f32[1]"),
		refused("output_shape has shape [], expected rank 1", nil, "f32[1,2,9]", "f32[2,3,3]", "i64[]"),
		refused("output_shape has 2 elements for 1 spatial axes", nil, "f32[1,2,9]", "f32[2,3,3]", "i64[2]"),
		refused("output_shape has 9223372036854775806 elements: 9223372036854775806 axes are more than the limit of 64", nil, "f32[...]", "f32[...]", "i64[9223372036854775806]"),
		refused("attribute output_padding: 1073741825 is outside [-1073741824,1073741824]", at{"output_padding", "1073741825"}, "f32[1,2,9]", "f32[2,3,3]"),
		refused("attribute pads_end: -1073741825 is outside [-1073741824,1073741824]", at{"pads_end", "-1073741825"}, "f32[1,2,9]", "f32[2,3,3]"),
		refused("output_shape[0] is negative: -1", nil, "f32[1,2,9]", "f32[2,3,3]", "i64[1]=-1"),
		{Type: "GroupConvolutionBackpropData-1", Inputs: []string{"f32[1,5,9]", "f32[?,2,3,3]"}, Error: "data has 5 channels, filters takes 2 in each of ? groups"},
	})
}
