package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"io"
)

// maxFrame is the size of the largest picture in a stream.
const maxFrame = 32 << 20

// frames are the pictures of a stream of JPEGs, one after the other, as cameras send them (Motion
// JPEG). Bytes between two pictures, such as the headers of a multipart stream, are skipped.
type frames struct {
	// pictures is closed at the end of the stream.
	pictures chan []byte
	// err is the error of the stream, to be read after pictures is closed.
	err error
}

// readFrames reads pictures from r. Unless all of them are wanted, a picture that nobody has taken
// gives way to the next one, so that labels do not lag behind a camera that is faster than the
// model.
func readFrames(ctx context.Context, r io.Reader, all bool) *frames {
	f := &frames{pictures: make(chan []byte, 1)}
	go func() {
		defer close(f.pictures)
		scanner := bufio.NewScanner(r)
		scanner.Buffer(nil, maxFrame)
		scanner.Split(splitJPEG)
		for scanner.Scan() {
			if !all {
				select {
				case <-f.pictures:
				default:
				}
			}
			select {
			case f.pictures <- bytes.Clone(scanner.Bytes()):
			case <-ctx.Done():
				return
			}
		}
		f.err = scanner.Err()
	}()
	return f
}

// The second bytes of markers in a JPEG, which start with 0xff (ITU-T T.81, table B.1).
const (
	temporary    = 0x01
	firstRestart = 0xd0
	lastRestart  = 0xd7
	startOfImage = 0xd8
	endOfImage   = 0xd9
	startOfScan  = 0xda
)

// splitJPEG is a bufio.SplitFunc for the JPEGs in a stream. It goes from segment to segment, since
// a segment can contain another JPEG, the thumbnail.
func splitJPEG(data []byte, atEOF bool) (advance int, token []byte, err error) {
	start := 0
	for {
		i := bytes.Index(data[start:], []byte{0xff, startOfImage, 0xff})
		if i < 0 {
			if atEOF {
				return len(data), nil, nil
			}
			return max(0, len(data)-2), nil, nil // a picture may start with the last two bytes
		}
		start += i
		size, ok := sizeOfJPEG(data[start:])
		switch {
		case size > 0:
			return start + size, data[start : start+size], nil
		case ok && atEOF: // the last picture is not whole
			return len(data), nil, nil
		case ok:
			return start, nil, nil
		}
		start += 2
	}
}

// sizeOfJPEG returns the size of the JPEG that data starts with, or 0 if data ends before it does.
// It returns false if data is no whole JPEG.
func sizeOfJPEG(data []byte) (size int, ok bool) {
	for i := 2; ; {
		if i+1 >= len(data) {
			return 0, true
		}
		if data[i] != 0xff {
			return 0, false
		}
		switch marker := data[i+1]; {
		case marker == 0xff: // fill
			i++
		case marker == endOfImage:
			return i + 2, true
		case marker == startOfImage: // of the next one: the camera has lost the end of this one
			return 0, false
		case marker == temporary || marker >= firstRestart && marker <= lastRestart:
			i += 2
		default:
			if i+4 > len(data) {
				return 0, true
			}
			i += 2 + int(binary.BigEndian.Uint16(data[i+2:]))
			if marker == startOfScan {
				i = endOfScan(data, i)
			}
		}
	}
}

// endOfScan returns the position of the first marker from i on that does not belong to the pixels
// of a scan, or len(data). A byte 0xff in them is followed by 0, and they can contain restarts.
func endOfScan(data []byte, i int) int {
	for i < len(data) {
		next := bytes.IndexByte(data[i:], 0xff)
		if next < 0 || i+next+1 == len(data) {
			return len(data)
		}
		i += next
		if marker := data[i+1]; marker != 0 && (marker < firstRestart || marker > lastRestart) {
			return i
		}
		i += 2
	}
	return len(data)
}
