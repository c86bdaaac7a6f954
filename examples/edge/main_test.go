package main

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// colors are the arguments for the model of examples/classify, which names the color of a picture.
var colors = []string{"-mean", "0", "-scale", "255", "-top", "1", "../classify/model.xml", "../classify/labels.txt"}

// labels runs the program, and returns the first label of each picture, or its error.
func labels(t *testing.T, stream []byte, args ...string) ([]string, error) {
	t.Helper()
	var out strings.Builder
	err := run(context.Background(), append(args[:len(args):len(args)], colors...), iotest.HalfReader(bytes.NewReader(stream)), &out)
	var found []string
	for text := range strings.Lines(out.String()) {
		var l line
		require.NoError(t, json.Unmarshal([]byte(text), &l))
		assert.GreaterOrEqual(t, l.Milliseconds, 0.0)
		if l.Error == "" {
			require.Len(t, l.Labels, 1)
			l.Error = l.Labels[0].Name
		}
		found = append(found, l.Error)
	}
	return found, err
}

// jpegOf returns a picture of one color as a JPEG. thumbnail, if it is not nil, is in a segment of
// it.
func jpegOf(t *testing.T, c color.Color, thumbnail []byte) []byte {
	t.Helper()
	picture := image.NewRGBA(image.Rect(0, 0, 40, 30))
	for i := range 40 * 30 {
		picture.Set(i%40, i/40, c)
	}
	var b bytes.Buffer
	require.NoError(t, jpeg.Encode(&b, picture, nil))
	if thumbnail == nil {
		return b.Bytes()
	}
	size := len(thumbnail) + 2
	return slices.Concat(b.Bytes()[:2], []byte{0xff, 0xe1, byte(size >> 8), byte(size)}, thumbnail, b.Bytes()[2:])
}

func TestRun_stream(t *testing.T) {
	red, blue := jpegOf(t, color.RGBA{R: 200, A: 255}, nil), jpegOf(t, color.RGBA{B: 200, A: 255}, nil)
	green := jpegOf(t, color.RGBA{G: 200, A: 255}, red)
	empty := []byte{0xff, 0xd8, 0xff, 0xd9}
	stream := slices.Concat(
		[]byte("--frame\r\nContent-Type: image/jpeg\r\n\r\n"), red, []byte("\r\n--frame\r\n\xff\xd8\xff\r\n"), green, blue, red[:len(red)-2], empty, blue, blue[:len(blue)/2])

	found, err := labels(t, stream, "-all")
	require.NoError(t, err)
	require.Len(t, found, 5)
	assert.Equal(t, []string{"red", "green", "blue"}, found[:3])
	assert.NotContains(t, []string{"red", "green", "blue"}, found[3], "a picture without pixels")
	assert.Equal(t, "blue", found[4])

	found, err = labels(t, stream)
	require.NoError(t, err)
	assert.Equal(t, "blue", found[len(found)-1], "the last picture is never left out")

	found, err = labels(t, nil)
	require.NoError(t, err)
	assert.Empty(t, found)
}

func TestRun_files(t *testing.T) {
	var out strings.Builder
	missing := filepath.Join(t.TempDir(), "missing.png")
	err := run(context.Background(), append(slices.Clone(colors), "../classify/meadow.png", missing, "../classify/meadow.png"), nil, &out)
	assert.ErrorIs(t, err, os.ErrNotExist)
	assert.Equal(t, 2, strings.Count(out.String(), `"label":"green"`), out.String())
	assert.Contains(t, out.String(), missing)
}

func TestRun_wrongUse(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "a model and labels are needed"},
		{[]string{"-scale", "1,x", "m.xml", "l.txt"}, "invalid syntax"},
		{[]string{"m.xml", "../classify/missing.txt"}, "missing.txt"},
		{[]string{"m.xml", "../classify/labels.txt"}, "m.xml"},
		{[]string{"../scatter/model.xml", "../classify/labels.txt"}, "ops/scatterelements"},
	} {
		assert.ErrorContains(t, run(context.Background(), test.args, nil, nil), test.want)
	}
	_, err := labels(t, nil, "-top", "x")
	assert.ErrorContains(t, err, "invalid value")
	_, err = labels(t, nil, "-memory", "1")
	assert.NoError(t, err)
}

func TestRun_labelsOfAnotherModel(t *testing.T) {
	file := filepath.Join(t.TempDir(), "labels.txt")
	require.NoError(t, os.WriteFile(file, []byte("red\nblue\n"), 0o600))
	err := run(context.Background(), []string{"../classify/model.xml", file, "../classify/meadow.png"}, nil, &strings.Builder{})
	assert.ErrorContains(t, err, "the model has 3 classes, and there are 2 labels")
}

// FuzzSplitJPEG checks that what is found in a stream does not depend on how it arrives.
func FuzzSplitJPEG(f *testing.F) {
	f.Add([]byte("--frame\xff\xd8\xff\xe0\x00\x04ab\xff\xda\x00\x02xy\xff\x00\xff\xd0z\xff\xff\xd9\xff\xd8\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		data = data[:min(len(data), 4096)] // byte by byte, the time is quadratic
		read := func(stream *frames) (pictures [][]byte) {
			for picture := range stream.pictures {
				pictures = append(pictures, picture)
			}
			require.NoError(t, stream.err)
			return pictures
		}
		whole := read(readFrames(t.Context(), bytes.NewReader(data), true))
		assert.Equal(t, whole, read(readFrames(t.Context(), iotest.OneByteReader(bytes.NewReader(data)), true)))
		for _, picture := range whole {
			assert.True(t, bytes.HasPrefix(picture, []byte{0xff, 0xd8, 0xff}))
			assert.True(t, bytes.HasSuffix(picture, []byte{0xff, 0xd9}))
		}
	})
}
