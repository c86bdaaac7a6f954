package preprocess

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/internal/regular"
)

// MaxFileBytes is the size of the largest file that ReadFile reads.
const MaxFileBytes = 1 << 30

// The bytes that files of the formats start with.
const (
	pngMagic  = "\x89PNG\r\n\x1a\n"
	jpegMagic = "\xff\xd8\xff"
)

// IsPicture reports whether data starts like a file that Decode reads.
func IsPicture(data []byte) bool {
	return strings.HasPrefix(string(data[:min(len(data), len(pngMagic))]), pngMagic) || bytes.HasPrefix(data, []byte(jpegMagic))
}

// ReadFile reads and decodes the regular file at path: see Decode.
func ReadFile(path string, maxPixels int) (image.Image, error) {
	data, err := regular.ReadFile(path, MaxFileBytes)
	if err != nil {
		return nil, err
	}
	picture, err := Decode(data, maxPixels)
	if err != nil {
		return nil, faults.Errorf("%s: %w", path, err)
	}
	return picture, nil
}

// Decode decodes the content of a PNG or JPEG file, which it tells apart by their first bytes. A picture of more
// than maxPixels is an error before it takes memory: a small file can hold a large picture. 0 means MaxPixels, and
// a pixel takes at most 24 bytes while it is decoded.
//
// A JPEG differs between decoders: from Pillow's by up to 2 of 255 in the tests, and by up to 10 if its colors
// have half of the resolution, which Pillow interpolates.
// The rotation in the metadata of a camera is ignored, as in Pillow's Image.open.
func Decode(data []byte, maxPixels int) (image.Image, error) {
	decode, config := jpeg.Decode, jpeg.DecodeConfig
	switch {
	case !IsPicture(data):
		return nil, faults.Errorf("neither PNG nor JPEG: it starts with %s", printable.Quote(string(data[:min(len(data), len(pngMagic))]), maxShown))
	case data[0] == pngMagic[0]:
		decode, config = png.Decode, png.DecodeConfig
	}
	header, err := config(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if maxPixels == 0 {
		maxPixels = MaxPixels
	}
	if err := checkSize("picture", image.Pt(header.Width, header.Height), maxPixels); err != nil {
		return nil, err
	}
	return decode(bytes.NewReader(data))
}

// maxShown is the number of characters of a file's first bytes in an error.
const maxShown = 40
