package preprocess

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"image/jpeg"
	"image/png"
	"io"
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

// Decode decodes the content of a PNG or JPEG file, which it tells apart by their first bytes. A
// picture of more than maxPixels is an error before it takes memory: a small file can hold a large
// picture. 0 means MaxPixels, and a pixel takes at most 24 bytes while it is decoded.
//
// A JPEG differs between decoders: from Pillow's by up to 2 of 255 in the tests, and by up to 10 if
// its colors have half of the resolution, which Pillow interpolates.
// The rotation in the metadata of a camera is ignored, as in Pillow's Image.open.
//
// A JPEG of more than 100 scans, each of which takes a pass over all pixels, is an error too.
func Decode(data []byte, maxPixels int) (image.Image, error) {
	return DecodeContext(context.Background(), data, maxPixels)
}

// DecodeContext is Decode that ends early when ctx is done, with the error of ctx. The last step of
// a progressive JPEG, which takes less than a second for MaxPixels, is not interrupted.
func DecodeContext(ctx context.Context, data []byte, maxPixels int) (image.Image, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
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
	if n := scans(data, maxScans); n > maxScans {
		return nil, faults.Errorf("the JPEG has more than %d scans", maxScans)
	}
	picture, err := decode(&reader{ctx, data})
	if ended := ctx.Err(); ended != nil {
		return nil, ended
	}
	return picture, err
}

// maxScans is the number of scans of a JPEG. Encoders write 10 to 20 if it is progressive.
const maxScans = 100

// The markers of a JPEG that scans looks for. Those before the last one stand alone; others have a
// length.
const (
	markerByte     = 0xff
	firstRestart   = 0xd0
	endOfImage     = 0xd9
	startOfScan    = 0xda
	startOfImage   = 0xd8
	temporary      = 0x01
	lengthOfLength = 2
)

// scans returns the number of scans of data, if it is a JPEG, but at most one more than most.
func scans(data []byte, most int) int {
	n := 0
	if !bytes.HasPrefix(data, []byte(jpegMagic)) {
		return n
	}
	for at := 2; n <= most; {
		next := bytes.IndexByte(data[at:], markerByte)
		if next < 0 || at+next+1 >= len(data) {
			return n
		}
		at += next + 1
		switch marker := data[at]; {
		case marker == markerByte: // any number of them can come before a marker
		case marker == 0 || marker == temporary || firstRestart <= marker && marker <= startOfImage:
			at++ // pixels, or a marker that stands alone
		case marker == endOfImage:
			return n
		default:
			if marker == startOfScan {
				n++
			}
			if at+lengthOfLength >= len(data) {
				return n
			}
			if at += 1 + int(binary.BigEndian.Uint16(data[at+1:])); at > len(data) {
				return n
			}
		}
	}
	return n
}

// reader reads data in short pieces, until ctx is done: a few bytes of a JPEG can stand for many
// pixels.
type reader struct {
	ctx  context.Context
	data []byte
}

// readBytes is the length of the pieces.
const readBytes = 64

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n := copy(p, r.data[:min(len(r.data), readBytes)])
	if r.data = r.data[n:]; n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// maxShown is the number of characters of a file's first bytes in an error.
const maxShown = 40
