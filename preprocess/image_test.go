package preprocess

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"github.com/vinoir/vinoir/internal/test/limittest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/npy"
)

// read returns a picture of testdata.
func read(t *testing.T, name string) image.Image {
	t.Helper()
	picture, err := ReadFile(filepath.Join("testdata", name), 0)
	require.NoError(t, err)
	return picture
}

// expected returns the pixels in a file of testdata.
func expected(t *testing.T, name string) *ir.Tensor {
	t.Helper()
	array, err := npy.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	tensor, err := array.Tensor(ir.U8, nil)
	require.NoError(t, err)
	return tensor
}

// TestImage_pillow compares decoded and resized pictures with those of Pillow. Decoders of JPEG may
// differ.
func TestImage_pillow(t *testing.T) {
	files, err := filepath.Glob("testdata/*x*.npy")
	require.NoError(t, err)
	require.Len(t, files, 16)
	for _, file := range files {
		base := strings.TrimSuffix(filepath.Base(file), ".npy")
		dot := strings.LastIndexByte(base, '.')
		var size image.Point
		_, err := fmt.Sscanf(base[dot+1:], "%dx%d", &size.X, &size.Y)
		require.NoError(t, err)
		got, err := Image{Size: size, Layout: HWC, Type: ir.U8}.Tensor(read(t, base[:dot]))
		require.NoError(t, err)
		want := expected(t, filepath.Base(file))
		require.Equal(t, want.Shape(), got.Shape())
		furthest := 0
		for i, b := range want.Bytes() {
			furthest = max(furthest, int(b)-int(got.Bytes()[i]), int(got.Bytes()[i])-int(b))
		}
		limit := 0
		switch base[:dot] {
		case "smooth.jpg":
			limit = 2
		case "progressive.jpg": // has half of the resolution in colors, which Pillow interpolates
			limit = 10
		}
		assert.LessOrEqual(t, furthest, limit, base)
	}
	gray, err := Image{Size: image.Pt(7, 5), Layout: CHW, Type: ir.U8, Color: Gray}.Tensor(read(t, "rgb.png"))
	require.NoError(t, err)
	assert.Equal(t, expected(t, "rgb.png.gray.npy").Bytes(), gray.Bytes())
}

// four is a picture of two rows: red and green, blue and white, the last is transparent.
func four() *image.NRGBA {
	picture := image.NewNRGBA(image.Rect(10, 20, 12, 22))
	for i, c := range []color.NRGBA{{200, 0, 0, 255}, {0, 100, 0, 255}, {0, 0, 50, 255}, {250, 251, 252, 0}} {
		picture.SetNRGBA(10+i%2, 20+i/2, c)
	}
	return picture
}

func TestImage_layoutsAndColors(t *testing.T) {
	for _, tt := range []struct {
		recipe Image
		shape  ir.Shape
		want   []float32
	}{
		{Image{}, ir.Shape{1, 3, 2, 2}, []float32{200, 0, 0, 250, 0, 100, 0, 251, 0, 0, 50, 252}},
		{Image{Layout: CHW, Color: BGR}, ir.Shape{3, 2, 2}, []float32{0, 0, 50, 252, 0, 100, 0, 251, 200, 0, 0, 250}},
		{Image{Layout: NHWC}, ir.Shape{1, 2, 2, 3}, []float32{200, 0, 0, 0, 100, 0, 0, 0, 50, 250, 251, 252}},
		{Image{Layout: HWC, Color: BGR}, ir.Shape{2, 2, 3}, []float32{0, 0, 200, 0, 100, 0, 50, 0, 0, 252, 251, 250}},
		{Image{Color: Gray}, ir.Shape{1, 1, 2, 2}, []float32{60, 59, 6, 251}},
		{Image{Layout: HWC, Color: Gray}, ir.Shape{2, 2, 1}, []float32{60, 59, 6, 251}},
		{Image{Layout: HWC, Mean: []float64{100}, Scale: []float64{2, 4, 8}}, ir.Shape{2, 2, 3}, []float32{50, -25, -12.5, -50, 0, -12.5, -50, -25, -6.25, 75, 37.75, 19}},
		{Image{Layout: HWC, Mean: []float64{1, 2, 3}, Color: BGR}, ir.Shape{2, 2, 3}, []float32{-1, -2, 197, -1, 98, -3, 49, -2, -3, 251, 249, 247}},
	} {
		got, err := tt.recipe.Tensor(four())
		require.NoError(t, err)
		assert.Equal(t, tt.shape, got.Shape())
		assert.Equal(t, tt.want, ir.Data[float32](got), "%+v", tt.recipe)
	}
}

func TestImage_types(t *testing.T) {
	recipe := Image{Layout: HWC, Color: Gray, Mean: []float64{0.1}, Scale: []float64{0.3}}
	for _, et := range []ir.ElementType{ir.F16, ir.BF16, ir.F32, ir.F64} {
		recipe.Type = et
		got, err := recipe.Tensor(four())
		require.NoError(t, err)
		want := float64((float32(60) - 0.1) / 0.3)
		switch et {
		case ir.F16:
			want = float64(float16.Fromfloat32(float32(want)).Float32())
		case ir.BF16:
			want = float64(ir.BFloat16Of(float32(want)).Float32())
		case ir.F64:
			want = (60 - recipe.Mean[0]) / recipe.Scale[0]
		}
		assert.Equal(t, want, got.Values()(0), et)
	}
}

// TestImage_pictures has pictures of other Go types, and some that are not pictures.
func TestImage_pictures(t *testing.T) {
	want, err := Image{}.Tensor(four())
	require.NoError(t, err)
	deep, opaque := image.NewNRGBA64(image.Rect(0, 0, 2, 2)), image.NewRGBA(image.Rect(0, 0, 2, 2))
	palette := image.NewPaletted(image.Rect(0, 0, 2, 2), nil)
	for i := range 4 {
		c := four().NRGBAAt(10+i%2, 20+i/2)
		deep.SetNRGBA64(i%2, i/2, color.NRGBA64{uint16(c.R)<<8 | 0xff, uint16(c.G) << 8, uint16(c.B) << 8, uint16(c.A) << 8})
		opaque.SetRGBA(i%2, i/2, color.RGBA{c.R, c.G, c.B, 255})
		palette.Palette = append(palette.Palette, c)
		palette.SetColorIndex(i%2, i/2, uint8(i))
	}
	for _, picture := range []image.Image{deep, opaque, palette} {
		got, err := Image{}.Tensor(picture)
		require.NoError(t, err)
		assert.Equal(t, want.Bytes(), got.Bytes(), "%T", picture)
	}
	half := image.NewRGBA(image.Rect(0, 0, 1, 1))
	half.SetRGBA(0, 0, color.RGBA{64, 32, 0, 128}) // premultiplied
	got, err := Image{}.Tensor(half)
	require.NoError(t, err)
	assert.Equal(t, []float32{127, 63, 0}, ir.Data[float32](got))
	for _, picture := range []image.Image{nil, image.NewGray(image.Rectangle{}), image.NewUniform(color.White)} {
		_, err := Image{Size: image.Pt(1, 1)}.Tensor(picture)
		assert.Error(t, err)
	}
}

func TestImage_errors(t *testing.T) {
	for _, tt := range []struct {
		recipe Image
		want   string
	}{
		{Image{Layout: "NWHC"}, `layout "NWHC" is none of NCHW, NHWC, CHW, HWC`},
		{Image{Color: "CMYK"}, `color "CMYK" is none of RGB, BGR, Gray`},
		{Image{Type: ir.I8}, "element type i8 is none of u8, f16, bf16, f32, f64"},
		{Image{Type: ir.U8, Mean: []float64{1}}, "element type u8 has no mean and scale"},
		{Image{Mean: []float64{1, 2}}, "mean has 2 numbers, the picture has 3 channels"},
		{Image{Color: Gray, Scale: []float64{1, 2, 3}}, "scale has 3 numbers, the picture has 1 channels"},
		{Image{Scale: []float64{0}}, "channel 0: (0 - 0) / 0 is not finite in f32"},
		{Image{Scale: []float64{1, 1, 1e-3}, Type: ir.F16}, "channel 2: (66 - 0) / 0.001 is not finite in f16"},
		{Image{Mean: []float64{math.Inf(1)}}, "channel 0: (0 - +Inf) / 1 is not finite in f32"},
		{Image{Size: image.Pt(3, 0)}, "size 3x0 has no pixels"},
		{Image{Size: image.Pt(-3, -4)}, "size -3x-4 has no pixels"},
		{Image{Size: image.Pt(1<<16, 1<<11)}, "size 65536x2048 has more than 67108864 pixels"},
		{Image{Size: image.Pt(1<<17, 1)}, "size 131072x1 is wider or higher than 65536"},
	} {
		_, err := tt.recipe.Tensor(four())
		assert.ErrorContains(t, err, tt.want)
	}
	long := image.NewGray(image.Rect(0, 0, 1, 1<<15))
	_, err := Image{Size: image.Pt(1<<12, 1)}.Tensor(long)
	assert.ErrorContains(t, err, "picture of the new width 4096x32768 has more than 67108864 pixels")
}

func TestImage_TensorFor(t *testing.T) {
	dims := func(list ...int64) ir.PartialShape {
		var all []ir.Dimension
		for _, n := range list {
			d := ir.AnyDim
			if n >= 0 {
				d = ir.Dim(n)
			}
			all = append(all, d)
		}
		return ir.ShapeOf(all...)
	}
	for _, tt := range []struct {
		recipe Image
		shape  ir.PartialShape
		want   string // the shape or the error
	}{
		{Image{}, dims(1, 3, 4, 5), "[1,3,4,5]"},
		{Image{}, dims(-1, 3, -1, -1), "[1,3,2,2]"},
		{Image{}, dims(1, 4, 5, 3), "[1,4,5,3]"},
		{Image{}, dims(1, 28, 28, 1), "[1,28,28,1]"},
		{Image{}, dims(3, 4, 5), "[3,4,5]"},
		{Image{}, dims(4, 5, 3), "[4,5,3]"},
		{Image{}, dims(1, 3, 7, -1), "[1,3,7,2]"},
		{Image{Layout: NHWC}, dims(-1, -1, -1, -1), "[1,2,2,3]"},
		{Image{Size: image.Pt(6, 7), Color: BGR}, dims(1, 3, -1, -1), "[1,3,7,6]"},
		{Image{Color: Gray}, dims(1, 3, 4, 1), "[1,3,4,1]"},
		{Image{}, ir.UnknownRank, "[1,3,2,2]"},
		{Image{}, dims(1, 3, 4, 3), "shape [1,3,4,3] can be NCHW or NHWC: a layout tells which"},
		{Image{Layout: NCHW}, dims(1, 3, 4, 3), "[1,3,4,3]"},
		{Image{}, dims(1, 5, 4, 4), "shape [1,5,4,4] has no axis of the channels of a picture"},
		{Image{Color: Gray}, dims(1, 3, 4, 4), "shape [1,3,4,4] has no axis of 1 channel, as color Gray has"},
		{Image{}, dims(10, 20), "shape [10,20] has no axis of the channels"},
		{Image{Layout: CHW}, dims(1, 3, 4, 4), "layout CHW has 3 axes, the input has shape [1,3,4,4]"},
		{Image{Layout: "X"}, dims(1, 3, 4, 4), `layout "X" is none of`},
		{Image{}, dims(8, 3, 4, 4), "the picture is NCHW[1,3,4,4], the input is [8,3,4,4]"},
		{Image{Size: image.Pt(9, 9)}, dims(1, 3, 4, 4), "the picture is NCHW[1,3,9,9], the input is [1,3,4,4]"},
		{Image{Color: Gray, Layout: NCHW}, dims(1, 3, 4, 4), "the picture is NCHW[1,1,4,4]"},
		{Image{}, dims(1, 3, 4, 1<<40), "size 65537x4 is wider or higher than 65536"},
		{Image{}, dims(1, 3, 0, 4), "size 4x0 has no pixels"},
	} {
		got, err := tt.recipe.TensorFor(ir.F32, tt.shape, four())
		if err != nil {
			assert.ErrorContains(t, err, tt.want)
			continue
		}
		assert.Equal(t, tt.want, got.Shape().String())
	}
	_, err := Image{}.TensorFor(ir.F32, dims(1, 3, 4, 4), nil)
	assert.ErrorContains(t, err, "the picture is nil")
}

func TestDecode(t *testing.T) {
	data, err := os.ReadFile("testdata/rgb.png")
	require.NoError(t, err)
	_, err = Decode(data, 23*17)
	require.NoError(t, err)
	_, err = Decode(data, 23*17-1)
	assert.EqualError(t, err, "picture 23x17 has more than 390 pixels")

	bomb := bytes.Clone(data)
	// of the header, whose checksum is behind it
	const chunk, width, end = 12, 16, 29
	copy(bomb[width:], "\x00\x00\x27\x10\x00\x00\x27\x10") // a 32-bit decoder knows as many pixels
	binary.BigEndian.PutUint32(bomb[end:], crc32.ChecksumIEEE(bomb[chunk:end]))
	limittest.Run(t, limittest.Limits{Bytes: 1 << 20, Time: time.Minute}, func(context.Context) { _, err = Decode(bomb, 0) })
	assert.EqualError(t, err, "picture 10000x10000 has more than 67108864 pixels")
	for text, want := range map[string]string{
		"": `neither PNG nor JPEG: it starts with ""`, "GIF89a\x01\x00\x01": `it starts with "GIF89a\x01\x00"`,
		pngMagic: "", jpegMagic: "", string(data[:100]): "",
	} {
		_, err := Decode([]byte(text), 0)
		assert.ErrorContains(t, err, want)
	}
	_, err = ReadFile("testdata/make.py", 0)
	assert.ErrorContains(t, err, "make.py: neither PNG nor JPEG")
	_, err = ReadFile("testdata", 0)
	assert.ErrorContains(t, err, "not a regular file")
}

// FuzzDecode checks that a picture is decoded or refused, and that it becomes a tensor of the size
// that is asked for.
func FuzzDecode(f *testing.F) {
	for _, pattern := range []string{"testdata/*.png", "testdata/*.jpg"} {
		files, err := filepath.Glob(pattern)
		require.NoError(f, err)
		for _, path := range files {
			data, err := os.ReadFile(path)
			require.NoError(f, err)
			f.Add(data, 5, 6)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, width, height int) {
		picture, err := Decode(data, 1<<16)
		if err != nil {
			return
		}
		require.LessOrEqual(t, picture.Bounds().Dx()*picture.Bounds().Dy(), 1<<16)
		size := image.Pt(width%300, height%300)
		tensor, err := Image{Size: size}.Tensor(picture)
		if size == (image.Point{}) {
			size = picture.Bounds().Size()
		}
		if size.X <= 0 || size.Y <= 0 {
			require.Error(t, err)
			return
		}
		require.NoError(t, err)
		require.Equal(t, ir.Shape{1, 3, size.Y, size.X}, tensor.Shape())
	})
}
