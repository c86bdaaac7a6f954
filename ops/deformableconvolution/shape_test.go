package deformableconvolution

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	type at = layertest.Attributes
	one := at{"group", "1", "deformable_group", "1"}
	two := at{"group", "2", "deformable_group", "2", "auto_pad", "same_upper"}
	good := func(version int, want string, attributes at, inputs ...string) layertest.ShapeCase {
		return layertest.ShapeCase{Version: version, Attributes: attributes, Inputs: inputs, Want: want}
	}
	refused := func(err string, attributes at, inputs ...string) layertest.ShapeCase {
		return layertest.ShapeCase{Version: 8, Attributes: attributes, Inputs: inputs, Error: err}
	}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		good(1, "f32[1,3,3,4]", one, "f32[1,2,5,5]", "f32[1,12,3,4]", "f32[3,2,3,2]"),
		good(8, "f32[1,4,5,5]", two, "f32[1,4,5,5]", "f32[1,16,5,5]", "f32[4,2,2,2]", "f32[1,8,5,5]"),
		good(8, "f32[2,4,5,3..5]", two, "f32[?,4,5,3..5]", "f32[2,16,?,?]", "f32[4,?,2,2]", "f16[?,8,5,4]"),
		good(8, "f32[?,3,1..,1..]", one, "f32[...]", "f32[...]", "f32[3,2,3,2]", "f32[...]"),
		good(8, "f32[2,?,1..,1..]", one, "f32[...]", "f32[2,12,3,4]", "f32[...]"),
		good(8, "f32[1,?,1..5,1..5]", one, "f32[1,2,5,5]", "f32[...]", "f32[...]"),
		good(8, "f32[...]", one, "f32[...]", "f32[...]", "f32[...]"),

		refused("attribute group: 0 is less than 1", at{"deformable_group", "1"}, "f32[1,2,5,5]", "f32[1,12,3,4]", "f32[3,2,3,2]"),
		refused("attribute deformable_group: -1 is less than 1", at{"group", "1", "deformable_group", "-1"}, "f32[1,2,5,5]", "f32[1,12,3,4]", "f32[3,2,3,2]"),
		refused("offsets has shape [1,12,3], expected rank 4", one, "f32[1,2,5,5]", "f32[1,12,3]", "f32[3,2,3,2]"),
		refused("offsets is f16, the inputs besides it are f32", one, "f32[1,2,5,5]", "f16[1,12,3,4]", "f32[3,2,3,2]"),
		refused("data is f32, filters is f16", one, "f32[1,2,5,5]", "f32[1,12,3,4]", "f16[3,2,3,2]"),
		refused("mask is boolean, not a type of numbers", one, "f32[1,2,5,5]", "f32[1,12,3,4]", "f32[3,2,3,2]", "boolean[1,6,3,4]"),
		refused("3 channels of data are no multiple of group 2", two, "f32[1,3,5,5]", "f32[1,16,5,5]", "f32[4,2,2,2]"),
		refused("5 output channels of filters are no multiple of group 2", two, "f32[1,4,5,5]", "f32[1,16,5,5]", "f32[5,2,2,2]"),
		refused("data [1,6,5,5] has 6 channels, filters [4,2,2,2] in 2 groups has 4", two, "f32[1,6,5,5]", "f32[1,16,5,5]", "f32[4,2,2,2]"),
		refused("offsets [1,14,5,5] has 14 channels, filters [4,2,2,2] in 2 deformable groups needs 16", two, "f32[1,4,5,5]", "f32[1,14,5,5]", "f32[4,2,2,2]"),
		refused("15 channels of offsets are no multiple of deformable_group 2", two, "f32[1,4,5,5]", "f32[1,15,5,5]", "f32[...]"),
		refused("offsets is [2,16,5,5], the output [1,4,5,5]: dimension 0 differs", two, "f32[1,4,5,5]", "f32[2,16,5,5]", "f32[4,2,2,2]"),
		refused("mask is [1,8,5,4], the output [1,4,5,5]: dimension 3 differs", two, "f32[1,4,5,5]", "f32[1,16,5,5]", "f32[4,2,2,2]", "f32[1,8,5,4]"),
		refused("strides has 1 elements for 2 spatial axes", at{"group", "1", "deformable_group", "1", "strides", "1"}, "f32[1,2,5,5]", "f32[1,12,3,4]", "f32[3,2,3,2]"),
	})
}
