package colorconvert

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestFromPlanes(t *testing.T) {
	row := func(name, want, err string, inputs ...string) layertest.ShapeCase {
		return layertest.ShapeCase{Type: name, Inputs: inputs, Want: want, Error: err}
	}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		row("NV12toRGB-8", "u8[1,2,4,3]", "", "u8[1,3,4,1]"),
		row("NV12toBGR-8", "f32[?,..3,3..5,3]", "", "f32[?,..5,3..5,?]"),
		row("I420toRGB-8", "dynamic[?,?,?,3]", "", "dynamic[...]"),
		row("I420toBGR-8", "f8e4m3[1,0,0,3]", "", "f8e4m3[1,0,0,1]"),
		row("NV12toRGB-8", "u8[1,4..6,4,3]", "", "u8[1,4..,4,1]", "dynamic[1,1..3,2,2]"),
		row("NV12toRGB-8", "u8[?,2..4,6..,3]", "", "u8[...]", "u8[?,1..2,3..,?]"),
		row("I420toRGB-8", "u8[1,4,4,3]", "", "u8[1,4,4,1]", "u8[...]", "u8[1,2,2,1]"),
		row("I420toRGB-8", "u8[1,4..6,4,3]", "", "u8[?,4..,?,1]", "u8[1,..3,2,1]", "u8[?,..4,?,1]"),

		row("NV12toRGB-8", "", "the image is i8, expected a floating-point type", "i8[1,3,4,1]"),
		row("NV12toRGB-8", "", "input 1 is f32, the inputs before it are u8", "u8[1,4,4,1]", "f32[1,2,2,2]"),
		row("I420toRGB-8", "", "2 inputs are connected, expected 1 or 3", "u8[1,4,4,1]", "u8[1,2,2,1]"),
		row("NV12toRGB-8", "", "Y has shape [3,4,1], expected rank 4", "u8[3,4,1]"),
		row("NV12toRGB-8", "", "Y has shape [1,3,4,2], expected 1 in dimension 3", "u8[1,3,4,2]"),
		row("NV12toRGB-8", "", "the plane of Y and chroma has 4 rows, expected a multiple of 3", "u8[1,4,4,1]"),
		row("NV12toRGB-8", "", "the image has an odd height, 3", "u8[1,4..5,4,1]"),
		row("NV12toRGB-8", "", "the image has an odd width, 3", "u8[1,3,3,1]"),
		row("NV12toRGB-8", "", "UV has shape [1,2,2,1], expected 2 in dimension 3", "u8[1,4,4,1]", "u8[1,2,2,1]"),
		row("NV12toRGB-8", "", "UV has shape [1,3,2,2], the planes before it are of an image of 4 in dimension 1", "u8[1,4,4,1]", "u8[1,3,2,2]"),
		row("NV12toRGB-8", "", "UV has shape [1,4611686018427387904,2,2], the planes before it are of an image of ? in dimension 1", "u8[...]", "u8[1,4611686018427387904,2,2]"),
		row("I420toRGB-8", "", "V has shape [1,2,3,1], the planes before it are of an image of 4 in dimension 2", "u8[1,4,4,1]", "u8[1,2,2,1]", "u8[1,2,3,1]"),
	})
}

func TestToPlanes(t *testing.T) {
	two := layertest.Attributes{"single_plane", "false"}
	for _, c := range []struct {
		attributes  layertest.Attributes
		input, want string
		err         string
	}{
		{nil, "u8[1,4,4,3]", "u8[1,6,4,1]", ""},
		{nil, "f32[1,4..5,4..,3]", "f32[1,6..7,4..,1]", ""},
		{nil, "dynamic[...]", "dynamic[?,?,?,1]", ""},
		{two, "u8[1,4,4,3]", "u8[1,4,4,1] u8[1,2,2,2]", ""},
		{two, "f16[?,5..9,..3,?]", "f16[?,5..9,..3,1] f16[?,3..4,..1,2]", ""},
		{two, "bf16[...]", "bf16[?,?,?,1] bf16[?,?,?,2]", ""},

		{nil, "f8e4m3[1,4,4,3]", "", "the image is f8e4m3, expected u8, f16, bf16, f32 or f64"},
		{nil, "u8[4,4,3]", "", "the image has shape [4,4,3], expected rank 4"},
		{nil, "u8[1,4,4,1]", "", "the image has shape [1,4,4,1], expected 3 in dimension 3"},
		{nil, "u8[1,3,4,3]", "", "the image has an odd height, 3"},
		{two, "u8[1,4,3,3]", "", "the image has an odd width, 3"},
	} {
		for _, name := range []string{"RGBtoNV12-17", "BGRtoNV12-17"} {
			op, want := layertest.FindType(t, Ops, name), strings.Fields(c.want)
			got, err := layertest.InferOutputs(t, op, c.attributes, max(len(want), 1), c.input)
			if c.err != "" {
				require.EqualError(t, err, c.err)
				continue
			}
			require.NoError(t, err, "%s %v", name, c.input)
			assert.Equal(t, want, got, "%s %v", name, c.input)
		}
	}
	_, err := layertest.InferOutputs(t, layertest.FindType(t, Ops, "RGBtoNV12-17"), nil, 2, "u8[1,4,4,3]")
	assert.EqualError(t, err, "the layer has 2 outputs in the file, its type has 1")
}
