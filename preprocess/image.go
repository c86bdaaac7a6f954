// Package preprocess makes tensors of pictures, as a model expects them.
//
//	picture, err := preprocess.ReadFile("cat.jpg", 0)
//	recipe := preprocess.Image{Size: image.Pt(224, 224), Mean: []float64{123.675, 116.28, 103.53}, Scale: []float64{58.395, 57.12, 57.375}}
//	tensor, err := recipe.Tensor(picture) // f32[1,3,224,224]
//
// A model that was made with OpenVINO's PrePostProcessor has these steps as layers, and takes the
// pixels: Image{Type: ir.U8, Layout: NHWC}.
package preprocess

import (
	"errors"
	"image"
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// Layout is the order of the axes of a tensor: N pictures, C channels, H rows, W columns. N is 1.
type Layout string

// The layouts.
const (
	NCHW Layout = "NCHW"
	NHWC Layout = "NHWC"
	CHW  Layout = "CHW"
	HWC  Layout = "HWC"
)

// Color is what the channels are.
type Color string

// The channels: three in the order of the letters, or the luminance 0.299 R + 0.587 G + 0.114 B.
const (
	RGB  Color = "RGB"
	BGR  Color = "BGR"
	Gray Color = "Gray"
)

// Image says how a picture becomes a tensor. The steps are those of a program in Python that reads
// the picture with Pillow, in this order:
//
//  1. The color of each pixel has 8 bits per channel. More bits are cut off, as in Pillow.
//     Transparency is ignored, as in Pillow's convert("RGB"): a program that wants a background
//     draws the picture over it first.
//  2. Color: the channels, or their luminance.
//  3. Size: the picture is stretched or shrunk to it by Pillow's Resampling.BILINEAR, which is what
//     torchvision's Resize does with pictures. If it shrinks, each new pixel is a weighted mean of
//     all pixels that it covers. The results have 8 bits, and are equal to those of Pillow.
//  4. Mean and Scale: (x - mean) / scale for each channel, in f32, with x from 0 to 255. In f64 if
//     that is the Type.
//  5. Type, rounded to the nearest, and Layout.
//
// Zero fields mean the defaults.
type Image struct {
	// Size is the width and the height; zero means those of the picture.
	Size image.Point
	// Layout is NCHW by default.
	Layout Layout
	// Type is u8, f16, bf16, f32 or f64, by default f32.
	Type ir.ElementType
	// Color is RGB by default.
	Color Color
	// Mean and Scale have one number for each channel, in the order of Color, or one for all. None
	// means 0, and
	// 1. They count from 0 to 255: torchvision's mean and std, times 255. They need a
	//    floating-point Type.
	Mean, Scale []float64
}

// MaxPixels is the number of pixels of the largest picture and the largest Size, 8192 x 8192, and
// maxSide their largest width and height, which are those of a JPEG.
const (
	MaxPixels = 1 << 26
	maxSide   = 1 << 16
)

// Tensor returns the tensor of a picture: of shape [1,C,H,W] if Layout is NCHW, and with the axes
// of the others in their order. It is an error if a field is none of its values, if a number is not
// finite in Type, or if the picture or the Size has no pixels or more than MaxPixels.
func (p Image) Tensor(picture image.Image) (*ir.Tensor, error) {
	if picture == nil {
		return nil, errors.New("the picture is nil")
	}
	p = p.withDefaults()
	if p.Size == (image.Point{}) {
		p.Size = picture.Bounds().Size()
	}
	if err := checkSize("picture", picture.Bounds().Size(), MaxPixels); err != nil {
		return nil, err
	}
	if err := checkSize("size", p.Size, MaxPixels); err != nil {
		return nil, err
	}
	pixels, err := p.pixels()
	if err != nil {
		return nil, err
	}
	shape, steps, err := p.Layout.arrange(pixels.channels, p.Size)
	if err != nil {
		return nil, err
	}
	table, err := p.table(pixels)
	if err != nil {
		return nil, err
	}
	tensor, err := ir.NewTensor(p.Type, shape...)
	if err != nil {
		return nil, err
	}
	data, size := tensor.Bytes(), p.Type.Size()
	err = resize(picture, pixels, p.Size, func(y int, row []byte) {
		for x := range p.Size.X {
			for c := range pixels.channels {
				value := (c<<8 + int(row[x*pixels.channels+c])) * size
				at := (y*steps.y + x*steps.x + c*steps.c) * size
				copy(data[at:at+size], table[value:value+size])
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return tensor, nil
}

// TensorFor is Tensor for an input of the given type and shape, from which it takes the Type, and
// the Layout, Color and Size as far as they are zero. The Layout is the one that has 3 channels in
// the shape, or 1. Lengths that are unknown fit every picture. It is an error if the shape has no
// place for a picture, if there is more than one layout, or if a field contradicts the shape.
func (p Image) TensorFor(t ir.ElementType, shape ir.PartialShape, picture image.Image) (*ir.Tensor, error) {
	p.Type = t
	if !shape.RankKnown() {
		return p.Tensor(picture)
	}
	var err error
	if p.Layout, err = p.layoutFor(shape); err != nil {
		return nil, err
	}
	axes := len(p.Layout) - len("HWC")
	rows, columns, channels := shape.At(axes), shape.At(axes+1), shape.At(axes+2)
	if p.Layout == NCHW || p.Layout == CHW {
		rows, columns, channels = columns, channels, rows
	}
	if p.Color == "" && channels == ir.Dim(1) {
		p.Color = Gray
	}
	if picture != nil && p.Size == (image.Point{}) {
		p.Size = picture.Bounds().Size()
		if columns.IsStatic() {
			p.Size.X = int(min(columns.Min, maxSide+1)) // an error if it is longer
		}
		if rows.IsStatic() {
			p.Size.Y = int(min(rows.Min, maxSide+1))
		}
	}
	tensor, err := p.Tensor(picture)
	if err != nil {
		return nil, err
	}
	for i, n := range tensor.Shape() {
		if d := shape.At(i); int64(n) < d.Min || int64(n) > d.Max {
			return nil, faults.Errorf("the picture is %s%v, the input is %v", p.Layout, tensor.Shape(), shape)
		}
	}
	return tensor, nil
}

// layoutFor returns the layout of a picture in an input of the given shape, whose rank is known.
func (p Image) layoutFor(shape ir.PartialShape) (Layout, error) {
	if p.Layout != "" {
		if _, _, err := p.Layout.arrange(1, image.Pt(1, 1)); err != nil {
			return "", err
		}
		if len(p.Layout) != shape.Rank() {
			return "", faults.Errorf("layout %s has %d axes, the input has shape %v", p.Layout, len(p.Layout), shape)
		}
		return p.Layout, nil
	}
	var found []Layout
	for _, layout := range []Layout{NCHW, NHWC, CHW, HWC} {
		if len(layout) != shape.Rank() {
			continue
		}
		axis := len(layout) - len("HWC")
		if layout == NHWC || layout == HWC {
			axis += 2
		}
		channels := shape.At(axis)
		if channels == ir.Dim(3) && p.Color != Gray || channels == ir.Dim(1) && (p.Color == Gray || p.Color == "") {
			found = append(found, layout)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		if p.Color == Gray {
			return "", faults.Errorf("shape %v has no axis of 1 channel, as color Gray has", shape)
		}
		return "", faults.Errorf("shape %v has no axis of the channels of a picture: a layout such as NCHW tells where it is", shape)
	}
	return "", faults.Errorf("shape %v can be %s or %s: a layout tells which", shape, found[0], found[1])
}

func (p Image) withDefaults() Image {
	if p.Layout == "" {
		p.Layout = NCHW
	}
	if p.Type == ir.Dynamic {
		p.Type = ir.F32
	}
	if p.Color == "" {
		p.Color = RGB
	}
	return p
}

// checkSize returns an error if a size has no pixels, more than limit, or a side longer than
// maxSide.
func checkSize(what string, size image.Point, limit int) error {
	if size.X <= 0 || size.Y <= 0 {
		return faults.Errorf("%s %dx%d has no pixels", what, size.X, size.Y)
	}
	if max(size.X, size.Y) > maxSide {
		return faults.Errorf("%s %dx%d is wider or higher than %d", what, size.X, size.Y, maxSide)
	}
	if size.X > limit/size.Y {
		return faults.Errorf("%s %dx%d has more than %d pixels", what, size.X, size.Y, limit)
	}
	return nil
}

// steps are the distances, in elements, between neighbours along each axis.
type steps struct{ c, y, x int }

// arrange returns the shape of a picture and the steps in it.
func (l Layout) arrange(channels int, size image.Point) (ir.Shape, steps, error) {
	area := size.X * size.Y
	switch l {
	case NCHW:
		return ir.Shape{1, channels, size.Y, size.X}, steps{area, size.X, 1}, nil
	case CHW:
		return ir.Shape{channels, size.Y, size.X}, steps{area, size.X, 1}, nil
	case NHWC:
		return ir.Shape{1, size.Y, size.X, channels}, steps{1, size.X * channels, channels}, nil
	case HWC:
		return ir.Shape{size.Y, size.X, channels}, steps{1, size.X * channels, channels}, nil
	}
	return nil, steps{}, faults.Errorf("layout %q is none of NCHW, NHWC, CHW, HWC", string(l))
}

// table returns the elements for the values 0 to 255 of each channel: all that Mean, Scale and Type
// do.
func (p Image) table(pixels *pixels) ([]byte, error) {
	switch p.Type {
	case ir.U8, ir.F16, ir.BF16, ir.F32, ir.F64:
	default:
		return nil, faults.Errorf("element type %v is none of u8, f16, bf16, f32, f64", p.Type)
	}
	if p.Type == ir.U8 && len(p.Mean)+len(p.Scale) > 0 {
		return nil, errors.New("element type u8 has no mean and scale: they need a floating-point type")
	}
	table, err := ir.NewTensor(p.Type, pixels.channels, 256)
	if err != nil {
		return nil, err
	}
	stored := table.Values()
	for c := range pixels.channels {
		mean, err := channel("mean", p.Mean, c, pixels.channels, 0)
		if err != nil {
			return nil, err
		}
		scale, err := channel("scale", p.Scale, c, pixels.channels, 1)
		if err != nil {
			return nil, err
		}
		for x := range 256 {
			v := (float64(x) - mean) / scale
			if p.Type != ir.F64 {
				v = float64((float32(x) - float32(mean)) / float32(scale))
			}
			table.SetValue(c<<8+x, v)
			if v := stored(c<<8 + x); math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, faults.Errorf("channel %d: (%d - %v) / %v is not finite in %v", c, x, mean, scale, p.Type)
			}
		}
	}
	return table.Bytes(), nil
}

// channel returns the number of channel c in a list of one number for each channel, or one for all.
func channel(what string, list []float64, c, channels int, none float64) (float64, error) {
	switch len(list) {
	case 0:
		return none, nil
	case 1:
		return list[0], nil
	case channels:
		return list[c], nil
	}
	return 0, faults.Errorf("%s has %d numbers, the picture has %d channels", what, len(list), channels)
}
