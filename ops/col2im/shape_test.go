package col2im

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	type at = layertest.Attributes
	four, two := "i64[2]=4,4", "i64[2]=2,2"
	good := func(want string, attributes at, inputs ...string) layertest.ShapeCase {
		return layertest.ShapeCase{Version: 15, Attributes: attributes, Inputs: inputs, Want: want}
	}
	refused := func(err string, attributes at, inputs ...string) layertest.ShapeCase {
		return layertest.ShapeCase{Version: 15, Attributes: attributes, Inputs: inputs, Error: err}
	}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		good("f32[3,3,4,4]", nil, "f32[3,12,9]", four, two),
		good("f32[3,4,4]", nil, "f32[12,9]", "i32[2]=4,4", "i32[2]=2,2"),
		good("f32[3,3,4,4]", at{"pads_begin", "1,1"}, "f32[3,12,16]", four, two),
		good("f32[3,3,4,4]", at{"strides", "2,1", "dilations", "1,2", "pads_end", "0,1"}, "f32[3,12,6]", four, two),
		good("f32[3,3,1,4]", nil, "f32[3,12,0]", "i64[2]=1,4", two),
		good("f32[3,?,4,4]", nil, "f32[3,8..12,9]", four, two),
		good("f32[3,3,4,4]", nil, "f32[3,12,?]", four, two),
		good("f32[3,3,?,?]", nil, "f32[3,12,9]", "i64[2]", two),
		good("f32[3,3,4,3..5]", nil, "f32[3,12,9]", "i64[2]=4,3..5", two),
		good("f32[3,?,4,4]", nil, "f32[3,12,9]", four, "i64[2]=2,1..2"),
		good("f32[3,?,?,?]", nil, "f32[3,12,9]", "i64[...]", "i64[...]"),
		good("f32[...]", nil, "f32[...]", four, two),

		refused("data [3,12,8] has 8 columns, the window [2,2] has 9 places in [4,4]", nil, "f32[3,12,8]", four, two),
		refused("data [3,11,9] has 11 channels, no multiple of the 4 elements of kernel_size [2,2]", nil, "f32[3,11,9]", four, two),
		refused("data has shape [1,3,12,9], expected rank 2 or 3", nil, "f32[1,3,12,9]", four, two),
		refused("output_size has shape [3], expected [2]", nil, "f32[3,12,9]", "i64[3]", two),
		refused("kernel_size has shape [?], expected [2]", nil, "f32[3,12,9]", four, "i64[?]"),
		refused("output_size is i32, kernel_size is i64", nil, "f32[3,12,9]", "i32[2]=4,4", two),
		refused("output_size is u8, expected i32 or i64", nil, "f32[3,12,9]", "u8[2]", "u8[2]"),
		refused("kernel_size[0] is 0, less than 1", nil, "f32[3,12,9]", four, "i64[2]=0,4"),
		refused("output_size[1] is negative: -2", nil, "f32[3,12,9]", "i64[2]=4,-2", two),
		refused("attribute strides: 1 elements, expected 2, for the rows and for the columns", at{"strides", "1"}, "f32[3,12,9]", four, two),
		refused("attribute dilations: 0 is outside [1,1073741824]", at{"dilations", "1,0"}, "f32[3,12,9]", four, two),
		refused("attribute pads_end: -1 is outside [0,1073741824]", at{"pads_end", "1,-1"}, "f32[3,12,9]", four, two),
		refused("data [?,9] has 9 columns, the window [3037000500,1] has 9223372036854775807 places in [9223372036854775806,9223372036854775806]", nil,
			"f32[?,9]", "i64[2]=9223372036854775806,9223372036854775806", "i64[2]=3037000500,1"),
	})
}
