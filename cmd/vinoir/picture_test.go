package main

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
)

// identityModel is a model of one input, which is its output too.
func identityModel(t ir.ElementType, shape string) string {
	return `<net name="m" version="11"><layers>` +
		`<layer id="0" name="x" type="Parameter" version="opset1"><data shape="` + shape + `" element_type="` + t.String() + `"/><output><port id="0" precision="` + t.Precision() + `" names="image"/></output></layer>` +
		`<layer id="1" name="r" type="Result" version="opset1"><input><port id="0"/></input></layer>` +
		`</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/></edges></net>`
}

// writePicture writes a picture of a red and a blue pixel.
func writePicture(t *testing.T, path string) {
	t.Helper()
	picture := image.NewRGBA(image.Rect(0, 0, 2, 1))
	picture.SetRGBA(0, 0, color.RGBA{R: 200, A: 255})
	picture.SetRGBA(1, 0, color.RGBA{B: 100, A: 255})
	f, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, png.Encode(f, picture))
	require.NoError(t, f.Close())
}

func TestInputs_picture(t *testing.T) {
	file := filepath.Join(t.TempDir(), "picture") // its name does not tell what it is
	writePicture(t, file)
	for _, tt := range []struct {
		elementType ir.ElementType
		shape       string
		args        []string
		want        []string
	}{
		{ir.F32, "1,3,1,2", nil, []string{"200", "0", "0", "0", "0", "100"}},
		{ir.U8, "1,1,2,3", []string{"--layout", "NHWC"}, []string{"200", "0", "0", "0", "0", "100"}},
		{ir.F32, "?,3,?,?", []string{"--color", "bgr"}, []string{"0", "100", "0", "0", "200", "0"}},
		{ir.F32, "?,?,?,?", []string{"--layout", "nhwc", "--size", "1x1"}, []string{"100", "0", "50"}},
		{ir.F32, "1,1,1,2", []string{"--color", "gray", "--layout", "NCHW", "--mean", "10", "--scale", "2"}, []string{"25", "0.5"}},
		{ir.F16, "3,1,2", []string{"--mean", "1,2,3", "--scale", "1,1,-2"}, []string{"199", "-1", "-2", "-2", "1.5", "-48.5"}},
	} {
		got := vinoir(identityModel(tt.elementType, tt.shape), append([]string{"run", "-", "--json", "--in", "image=" + file}, tt.args...)...)
		require.Equal(t, exitGood, got.code, "%v %v", tt, got)
		result := decode[inference](t, got)
		assert.Equal(t, tt.want, result.Outputs[0].First, "%v", tt)
		assert.Equal(t, "read from "+file+", 2x1 pixels", result.Inputs[0].Source)
	}
	got := vinoir(identityModel(ir.F32, "1,3,8,8"), "benchmark", "-", "--in", "0="+file, "--mean", "127.5", "--runs", "1")
	assert.Equal(t, exitGood, got.code, got)

	for _, tt := range []struct {
		code        int
		elementType ir.ElementType
		shape       string
		args        []string
		want        string
	}{
		{exitFault, ir.I32, "1,3,1,2", nil, `picture: input "x": element type i32 is none of u8, f16, bf16, f32, f64`},
		{exitFault, ir.F32, "1,3,3,3", nil, "shape [1,3,3,3] can be NCHW or NHWC: a layout tells which"},
		{exitFault, ir.F32, "1,3,3,2", []string{"--size", "5x5"}, "the picture is NCHW[1,3,5,5], the input is [1,3,3,2]"},
		{exitFault, ir.U8, "1,3,1,2", []string{"--mean", "1"}, "element type u8 has no mean and scale"},
		{exitFault, ir.F32, "1,3,1,2", []string{"--scale", "0"}, "is not finite in f32"},
		{exitUsage, ir.F32, "1,3,1,2", []string{"--size", "5"}, "not a width and a height such as 224x224"},
		{exitUsage, ir.F32, "1,3,1,2", []string{"--color", "cmyk"}, "none of RGB, BGR, Gray"},
		{exitUsage, ir.F32, "1,3,1,2", []string{"--mean", "1,2,3,4"}, "not one number, or one for each of 3 channels"},
	} {
		got := vinoir(identityModel(tt.elementType, tt.shape), append([]string{"run", "-", "--in", "image=" + file}, tt.args...)...)
		assert.Equal(t, tt.code, got.code, got)
		assert.Contains(t, got.stderr, tt.want)
	}
	got = vinoir(identityModel(ir.F32, "2"), "run", "-", "--mean", "1")
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.stderr, "are for pictures, and no input is read from one")

	flags := pictureFlags{}
	port := &plugin.Port{Name: "x", Type: ir.F32, Shape: ir.ShapeOf(ir.Dim(1), ir.Dim(3), ir.AnyDim, ir.AnyDim)}
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	_, _, err = flags.tensor(t.Context(), port, data, 2*pixelBytes)
	assert.NoError(t, err)
	_, _, err = flags.tensor(t.Context(), port, data, 2*pixelBytes-1)
	assert.ErrorContains(t, err, "picture 2x1 has more than 1 pixels")
	port.Shape = ir.StaticShape(1, 3, 10, 10)
	_, _, err = flags.tensor(t.Context(), port, data, 1199)
	assert.ErrorContains(t, err, "f32[1,3,10,10] takes more than the 1199 bytes that are left for inputs")
}

// FuzzPictureFlags checks that a value that is accepted is printed in a way that is accepted as the
// same.
func FuzzPictureFlags(f *testing.F) {
	for _, text := range []string{"224x224", "1X2", "0x1", "x", "5", "99999999999x1", "1,2,3", "1e308", "-0.5", "NaN", "1,,2", "bgr"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var size, size2 pictureSize
		if size.Set(text) == nil {
			require.NoError(t, size2.Set(size.String()))
			require.Equal(t, size, size2)
			require.Positive(t, min(size.X, size.Y))
		}
		var list, list2 numberList
		if list.Set(text) == nil {
			require.NoError(t, list2.Set(list.String()))
			require.Equal(t, list, list2)
			require.LessOrEqual(t, len(list), maxNumbers)
		}
		word := pictureWord{words: pictureColors}
		if word.Set(text) == nil {
			require.Contains(t, pictureColors, word.String())
		}
	})
}
