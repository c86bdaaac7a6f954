package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
	"github.com/vinoir/vinoir/preprocess"
)

// pictureFlags are the flags for inputs that are read from pictures.
type pictureFlags struct {
	size          pictureSize
	layout, color pictureWord
	mean, scale   numberList

	read bool // a picture was read
}

func (f *pictureFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Var(&f.size, "size", "resize pictures to `WxH`; by default to what the input has, or not at all")
	f.layout.words = pictureLayouts
	flags.Var(&f.layout, "layout", "put the pixels of pictures in the order `NCHW`, NHWC, CHW or HWC; by default that of an input with\n3 channels, or 1")
	f.color.words = pictureColors
	flags.Var(&f.color, "color", "take `RGB`, BGR or Gray from pictures; by default Gray for an input with 1 channel, else RGB")
	flags.Var(&f.mean, "mean", "subtract `N,N,N` from the channels of pictures, in their order, or N from all; a channel has 0 to 255")
	flags.Var(&f.scale, "scale", "divide the channels of pictures by `N,N,N`, after --mean")
}

// The words of --layout and --color, separated by spaces.
const (
	pictureLayouts = "NCHW NHWC CHW HWC"
	pictureColors  = "RGB BGR Gray"
)

// check returns an error if there are flags for pictures, but no picture.
func (f *pictureFlags) check() error {
	if f.read || f.size == (pictureSize{}) && f.layout.word == "" && f.color.word == "" && f.mean == nil && f.scale == nil {
		return nil
	}
	return usagef("--size, --layout, --color, --mean and --scale are for pictures, and no input is read from one")
}

// pixelBytes bounds the memory that a pixel takes while it is decoded.
const pixelBytes = 24

// tensor decodes a picture for an input. It also returns the size of the picture. left is the
// memory that it may take.
func (f *pictureFlags) tensor(ctx context.Context, port *plugin.Port, data []byte, left int64) (*ir.Tensor, *pictureSize, error) {
	f.read = true
	if shape, err := port.Shape.Static(); err == nil {
		if size, err := ir.ByteSize(port.Type, shape); err != nil || int64(size) > left {
			return nil, nil, faults.Errorf("%v%v takes more than the %d bytes that are left for inputs", port.Type, shape, left)
		}
	}
	picture, err := preprocess.DecodeContext(ctx, data, int(min(max(left/pixelBytes, 1), preprocess.MaxPixels)))
	if err != nil {
		return nil, nil, err
	}
	recipe := preprocess.Image{
		Size: image.Point(f.size), Layout: preprocess.Layout(f.layout.word), Color: preprocess.Color(f.color.word), Mean: f.mean, Scale: f.scale,
	}
	size := pictureSize(picture.Bounds().Size())
	tensor, err := recipe.TensorFor(port.Type, port.Shape, picture)
	return tensor, &size, err
}

// pictureSize is the value of --size: the width and the height.
type pictureSize image.Point

// String implements pflag.Value.
func (s *pictureSize) String() string {
	if *s == (pictureSize{}) {
		return ""
	}
	return fmt.Sprintf("%dx%d", s.X, s.Y)
}

// Set implements pflag.Value.
func (s *pictureSize) Set(text string) error {
	width, height, found := strings.Cut(strings.ToLower(text), "x")
	x, err := strconv.ParseUint(width, 10, 31)
	y, err2 := strconv.ParseUint(height, 10, 31)
	if !found || err != nil || err2 != nil || x == 0 || y == 0 {
		return errors.New("not a width and a height such as 224x224")
	}
	*s = pictureSize{int(x), int(y)}
	return nil
}

// Type implements pflag.Value.
func (s *pictureSize) Type() string { return "WxH" }

// pictureWord is a flag with one of several words, in any letter case.
type pictureWord struct{ word, words string }

// String implements pflag.Value.
func (w *pictureWord) String() string { return w.word }

// Set implements pflag.Value.
func (w *pictureWord) Set(text string) error {
	for _, word := range strings.Fields(w.words) {
		if strings.EqualFold(word, text) {
			w.word = word
			return nil
		}
	}
	return faults.Errorf("none of %s", strings.ReplaceAll(w.words, " ", ", "))
}

// Type implements pflag.Value.
func (w *pictureWord) Type() string { return "word" }

// numberList is a flag with numbers that are separated by commas.
type numberList []float64

// maxNumbers is the length of the longest list, one number for each channel.
const maxNumbers = 3

// String implements pflag.Value.
func (l *numberList) String() string {
	text := ""
	for i, v := range *l {
		if i > 0 {
			text += ","
		}
		text += strconv.FormatFloat(v, 'g', -1, 64)
	}
	return text
}

// Set implements pflag.Value.
func (l *numberList) Set(text string) error {
	var list numberList
	for item := range strings.SplitSeq(text, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(item), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || len(list) == maxNumbers {
			return errors.New("not one number, or one for each of 3 channels, such as 123.7,116.3,103.5")
		}
		list = append(list, v)
	}
	*l = list
	return nil
}

// Type implements pflag.Value.
func (l *numberList) Type() string { return "N,N,N" }
