package convolution

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func TestShapes(t *testing.T) {
	one := []string{"strides", "1"}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Type: "Convolution-1", Inputs: []string{"f32[1,3,224,224]", "f32[64,3,7,7]"}, Want: "f32[1,64,218,218]"},
		{Type: "Convolution-1", Inputs: []string{"f32[?,?,?]", "f32[2,3,3]"}, Want: "f32[?,2,1..]"},
		{Type: "Convolution-1", Inputs: []string{"f16[1..3,3,4,5]", "f16[?,3,1..2,1]"}, Want: "f16[1..3,?,3..4,5]"},
		{Type: "Convolution-1", Inputs: []string{"f32[...]", "f32[2,3,3]"}, Want: "f32[?,2,1..]"},
		{Type: "Convolution-1", Inputs: []string{"f32[2,3,9]", "f32[...]"}, Want: "f32[2,?,1..9]"},
		{Type: "Convolution-1", Inputs: []string{"f32[...]", "f32[...]"}, Want: "f32[...]"},
		{Type: "Convolution-1", Attributes: one, Inputs: []string{"f32[...]", "f32[...]"}, Want: "f32[?,?,1..]"},
		{Type: "Convolution-1", Inputs: []string{"f32[0,3,5]", "f32[2,3,3]"}, Want: "f32[0,2,3]"},
		{Type: "Convolution-1", Attributes: []string{"pads_begin", "2", "pads_end", "2"}, Inputs: []string{"f32[1,3,0]", "f32[2,3,3]"}, Want: "f32[1,2,2]"},
		{Type: "Convolution-1", Attributes: []string{"auto_pad", "same_upper", "strides", "2"}, Inputs: []string{"f32[1,3,9223372036854775806]", "f32[2,3,3]"}, Want: "f32[1,2,4611686018427387903]"},
		{Type: "Convolution-1", Attributes: []string{"pads_begin", "2"}, Inputs: []string{"f32[1,3,?]", "f32[2,3,3]"}, Want: "f32[1,2,1..]"},
		{Type: "Convolution-1", Attributes: []string{"auto_pad", "same_lower", "strides", "2"}, Inputs: []string{"f32[1,3,3..8]", "f32[2,3,?]"}, Want: "f32[1,2,2..4]"},
		{Type: "Convolution-1", Inputs: []string{"f32[1,3,2]", "f32[2,3,3..4]"}, Want: "f32[1,2,1]"},

		{Type: "Convolution-1", Inputs: []string{"f32[1,3,5]", "f16[2,3,3]"}, Error: "data is f32, filters is f16"},
		{Type: "Convolution-1", Inputs: []string{"boolean[1,3,5]", "boolean[2,3,3]"}, Error: "data is boolean, not a type of numbers"},
		{Type: "Convolution-1", Inputs: []string{"f32[1,3,5]", "f32[2,4,3]"}, Error: "data [1,3,5] has 3 channels, filters [2,4,3] has 4"},
		{Type: "Convolution-1", Inputs: []string{"f32[1,3,5]", "f32[2,3,3,3]"}, Error: "data has shape [1,3,5], filters has shape [2,3,3,3]: the ranks differ"},
		{Type: "Convolution-1", Inputs: []string{"f32[1,3]", "f32[2,3]"}, Error: "data has shape [1,3], filters [2,3]: a rank of data from 3 to 5 is needed"},
		{Type: "Convolution-1", Inputs: []string{"f32[1,3,2]", "f32[2,3,3]"}, Error: "the window of 3 elements along spatial axis 0 is longer than the padded input of 2"},
		{Type: "Convolution-1", Attributes: []string{"strides", "0"}, Inputs: []string{"f32[1,3,5]", "f32[2,3,3]"}, Error: "attribute strides: 0 is outside [1,1073741824]"},
		{Type: "Convolution-1", Attributes: []string{"strides", "1,1"}, Inputs: []string{"f32[1,3,5]", "f32[2,3,3]"}, Error: "strides has 2 elements for 1 spatial axes"},
		{Type: "Convolution-1", Attributes: []string{"dilations", "-1"}, Inputs: []string{"f32[1,3,5]", "f32[2,3,3]"}, Error: "attribute dilations: -1 is outside [1,1073741824]"},
		{Type: "Convolution-1", Attributes: []string{"auto_pad", "some"}, Inputs: []string{"f32[1,3,5]", "f32[2,3,3]"}, Error: `attribute auto_pad: "some" is none of explicit, same_upper, same_lower, valid`},
	})
}

func TestShapes_groups(t *testing.T) {
	g := func(want string, inputs ...string) layertest.ShapeCase {
		return layertest.ShapeCase{Type: "GroupConvolution-1", Inputs: inputs, Want: want}
	}
	refused := func(err string, inputs ...string) layertest.ShapeCase {
		return layertest.ShapeCase{Type: "GroupConvolution-1", Inputs: inputs, Error: err}
	}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		g("f32[1,6,7]", "f32[1,4,9]", "f32[2,3,2,3]"),
		g("i8[1,6,7,5]", "i8[1,4,9,5]", "i8[?,3,2,3,1]"),
		g("f32[1,6..12,7]", "f32[1,3..9,9]", "f32[?,3,2,3]"),
		g("f32[1,6..,7]", "f32[1,3..,9]", "f32[?,3,2,3]"),
		g("f32[1,6..8,7]", "f32[1,4,9]", "f32[2,3..4,?,3]"),
		g("f32[1,0,7]", "f32[1,0,9]", "f32[0,3,2,3]"),
		g("f32[?,6,1..]", "f32[...]", "f32[2,3,2,3]"),
		g("f32[1,?,1..9]", "f32[1,4,9]", "f32[...]"),
		g("f32[...]", "f32[...]", "f32[...]"),
		refused("data has 5 channels, filters takes 2 in each of ? groups", "f32[1,5,9]", "f32[?,3,2,3]"),
		refused("data has 4 channels, filters takes 2 in each of 3 groups", "f32[1,4,9]", "f32[3,3,2,3]"),
		refused("data has 0 channels, filters takes 0 in each of 2 groups", "f32[1,0,9]", "f32[2,3,0,3]"),
		refused("data has shape [1,4,9], filters has shape [2,3,2]: the ranks differ", "f32[1,4,9]", "f32[2,3,2]"),
		refused("filters has shape [2,3]: a rank of at least 3 is needed", "f32[...]", "f32[2,3]"),
		refused("data is f32, filters is f64", "f32[1,4,9]", "f64[2,3,2,3]"),
	})
}

// TestPrepare_range has positions in the padding that overflow a 32-bit int.
func TestPrepare_range(t *testing.T) {
	at := layertest.Attributes{"dilations", "1073741824", "strides", "1073741824", "auto_pad", "same_upper"}
	_, err := layertest.Run(&Ops[0], at, 1, layertest.Numbers(t, ir.F32, ir.Shape{1, 1, 2}), layertest.Numbers(t, ir.F32, ir.Shape{1, 1, 4}))
	if is32Bit {
		assert.EqualError(t, err, "a window of 3221225473 elements along spatial axis 0 of 2 elements, padded by 1610612735 and 1610612736, is beyond an int")
	} else {
		assert.NoError(t, err)
	}
}

const is32Bit = ^uint(0)>>32 == 0
