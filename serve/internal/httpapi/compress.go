package httpapi

import (
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// compressedFrom is the size in bytes from which an answer in JSON is compressed.
const compressedFrom = 4 << 10

// Compressors write answers in JSON, compressed if the client can read that. The zero value is
// ready. Its methods can be called at the same time.
type Compressors struct{ pools [len(encodings)]sync.Pool }

// encodings are those that an answer can have, the preferred one first.
var encodings = [...]struct {
	name string
	open func() compressor
}{
	{"gzip", func() compressor {
		w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
		return compressorOf(w, err)
	}},
	{"deflate", func() compressor {
		w, err := zlib.NewWriterLevel(nil, zlib.BestSpeed)
		return compressorOf(w, err)
	}},
}

// compressor is a gzip.Writer or a zlib.Writer.
type compressor interface {
	io.WriteCloser
	Reset(w io.Writer)
}

func compressorOf(c compressor, err error) compressor {
	if err != nil {
		panic("BUG: " + err.Error()) // the level is a constant
	}
	return c
}

// Write writes an answer of JSON with the status 200.
func (c *Compressors) Write(w http.ResponseWriter, r *http.Request, text []byte) {
	if len(text) < compressedFrom {
		WriteBody(w, http.StatusOK, text)
		return
	}
	header := w.Header()
	header.Set("Vary", "Accept-Encoding")
	chosen := accepted(r.Header["Accept-Encoding"])
	if chosen < 0 {
		WriteBody(w, http.StatusOK, text)
		return
	}
	header.Set("Content-Type", "application/json")
	header.Set("Content-Encoding", encodings[chosen].name)
	writer, ok := c.pools[chosen].Get().(compressor)
	if !ok {
		writer = encodings[chosen].open()
	}
	writer.Reset(w)
	// Errors are those of a connection that is gone.
	_, _ = writer.Write(text)
	_ = writer.Close()
	writer.Reset(io.Discard)
	c.pools[chosen].Put(writer)
}

// accepted returns the number of the first encoding that the values of Accept-Encoding allow; -1 if
// they allow none.
func accepted(values []string) int {
	for i := range encodings {
		for _, value := range values {
			for element := range strings.SplitSeq(value, ",") {
				if accepts(element, encodings[i].name) {
					return i
				}
			}
		}
	}
	return -1
}

// accepts says whether an element of Accept-Encoding, such as "gzip;q=0.5", allows an encoding.
func accepts(element, encoding string) bool {
	name, parameter, weighted := strings.Cut(element, ";")
	if !strings.EqualFold(strings.TrimSpace(name), encoding) {
		return false
	}
	if !weighted {
		return true
	}
	_, weight, _ := strings.Cut(parameter, "=")
	quality, err := strconv.ParseFloat(strings.TrimSpace(weight), 64)
	return err == nil && quality > 0
}
