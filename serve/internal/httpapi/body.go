package httpapi

import (
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/vinoir/vinoir/serve/internal/buffers"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// Body reads the body of a request, decompressed, into lent memory. It never holds more than a
// limit, nor much more than what has arrived: what a header says is only believed in parts.
//
// It must be read to its end before a request is computed: net/http does not notice before that a
// client has gone.
type Body struct {
	// Memory lends the memory of what is read, and can lend more.
	Memory *buffers.Lender

	pool       *buffers.Pool
	request    *http.Request
	reader     io.Reader
	limit      int64
	read       int64
	compressed bool
	// ended says that the reader has ended.
	ended bool
	// err is the error of the headers.
	err error
}

// NewBody returns the body of r, which must have at most limit bytes, both as it is sent and
// decompressed. The caller calls Close.
func NewBody(r *http.Request, limit int64, pool *buffers.Pool) *Body {
	b := &Body{Memory: buffers.NewLender(pool), pool: pool, request: r, reader: r.Body, limit: limit}
	if r.ContentLength > limit {
		b.err = b.tooLarge()
		return b
	}
	b.err = b.decompress(r.Header["Content-Encoding"])
	return b
}

// decompress lets b read what the body is without its content encoding.
func (b *Body) decompress(encodings []string) error {
	if len(encodings) == 0 {
		return nil
	}
	if len(encodings) > 1 {
		return oip.Errorf(oip.UnsupportedEncoding, "the body has %d content encodings, at most one is possible", len(encodings))
	}
	var open func(r io.Reader) (io.Reader, error)
	switch strings.ToLower(strings.TrimSpace(encodings[0])) {
	case "", "identity":
		return nil
	case "gzip", "x-gzip":
		open = func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }
	case "deflate":
		open = func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) }
	default:
		return oip.Errorf(oip.UnsupportedEncoding, "the content encoding %.100q is unknown, expected gzip or deflate", encodings[0])
	}
	b.compressed = true
	b.reader = &lazyReader{sent: io.LimitReader(b.request.Body, b.limit), open: open}
	return nil
}

// lazyReader opens a reader of what was sent when it is read for the first time.
type lazyReader struct {
	sent   io.Reader
	open   func(sent io.Reader) (io.Reader, error)
	reader io.Reader
}

// Read implements io.Reader.
func (l *lazyReader) Read(p []byte) (int, error) {
	if l.reader == nil {
		reader, err := l.open(l.sent)
		if err != nil {
			return 0, err
		}
		l.reader = reader
	}
	return l.reader.Read(p)
}

// Left returns how many bytes of the body are not read yet; false if that is not known.
func (b *Body) Left() (int64, bool) {
	if b.compressed || b.request.ContentLength < 0 {
		return 0, false
	}
	return b.request.ContentLength - b.read, true
}

// firstBytes is how much memory a body gets before anything of it has arrived. When it is full, it
// grows by at most growth times.
const firstBytes, growth = 1 << 20, 8

// ReadFull returns the next n bytes.
func (b *Body) ReadFull(n int64) ([]byte, error) {
	if b.err != nil {
		return nil, b.err
	}
	if left, ok := b.Left(); ok && n > left {
		return nil, oip.Errorf(oip.Malformed, "the body has %d bytes, %d more were expected", b.read+left, n-left)
	}
	if n > b.limit-b.read {
		return nil, b.tooLarge()
	}
	data := b.Memory.Get(int(min(n, firstBytes)))
	for filled := 0; ; {
		got, err := b.fill(data[filled:])
		if filled += got; err != nil {
			return nil, b.readError(err)
		}
		if filled < len(data) {
			return nil, oip.Errorf(oip.Malformed, "the body ends after %d bytes, %d more were expected", b.read, n-int64(filled))
		}
		if int64(filled) == n {
			return data, nil
		}
		data = b.Memory.Grow(data, int(min(n, int64(filled)*growth)))
	}
}

// ReadAll returns the rest of the body.
func (b *Body) ReadAll() ([]byte, error) {
	if b.err != nil {
		return nil, b.err
	}
	if left, ok := b.Left(); ok {
		data, err := b.ReadFull(left)
		if err != nil {
			return nil, err
		}
		return data, b.End()
	}
	return b.readParts()
}

// readParts reads the rest of a body whose length is not known. It joins parts only when the body
// has ended: what turns out to be too large never needs more memory than the limit.
func (b *Body) readParts() ([]byte, error) {
	const first, largest = 64 << 10, 4 << 20
	var list [][]byte
	total := 0
	memory := buffers.NewLender(b.pool)
	defer memory.Free()
	for size := int64(first); !b.ended; size = min(2*size, largest) {
		lender := memory
		if len(list) == 0 {
			lender = b.Memory // the first part is all there is of most bodies
		}
		part := lender.Get(int(min(size, b.limit+1-b.read)))
		n, err := b.fill(part)
		if err != nil {
			return nil, b.readError(err)
		}
		if b.read > b.limit {
			return nil, b.tooLarge()
		}
		total += n
		list = append(list, part[:n])
	}
	if len(list) == 1 {
		return list[0], nil
	}
	data := b.Memory.Get(total)[:0]
	for _, part := range list {
		data = append(data, part...)
	}
	return data, nil
}

// End returns an error if the body goes on.
func (b *Body) End() error {
	var more [1]byte
	switch n, err := b.fill(more[:]); {
	case err != nil:
		return b.readError(err)
	case n > 0:
		return oip.Errorf(oip.Malformed, "the body goes on after the %d bytes that were expected", b.read-1)
	default:
		return nil
	}
}

// fill reads into data until it is full or the body ends, which is no error.
func (b *Body) fill(data []byte) (n int, err error) {
	for n < len(data) && !b.ended && err == nil {
		var got int
		got, err = b.reader.Read(data[n:])
		n += got
		if err == io.EOF {
			b.ended, err = true, nil
		}
	}
	b.read += int64(n)
	return n, err
}

// Close gives the memory back.
func (b *Body) Close() { b.Memory.Free() }

// Refuse answers with err, and then reads what is left of the body: a client that writes its whole
// request before it reads would not see the answer otherwise, but a connection that is closed. It
// returns ErrAnswered.
func (b *Body) Refuse(w http.ResponseWriter, err error) error {
	if left, ok := b.Left(); b.ended || ok && left == 0 || b.request.ProtoMajor > 1 {
		// Over HTTP/2, a client reads at any time, and may wait for the end of the answer before it
		// sends on.
		WriteError(w, err)
		return ErrAnswered
	}
	// Without full duplex, the answer would wait for the body. Where that, or flushing, is not
	// possible, nothing is lost but time. A connection cannot be used again after that: net/http
	// panics if it finds the end of the body by itself.
	control := http.NewResponseController(w)
	if control.EnableFullDuplex() == nil {
		w.Header().Set("Connection", "close")
	}
	WriteError(w, err)
	_ = control.Flush()
	if b.read > 0 || b.request.Header.Get("Expect") == "" {
		_, _ = io.CopyN(io.Discard, b.request.Body, b.limit)
	}
	return ErrAnswered
}

func (b *Body) tooLarge() error {
	return oip.Errorf(oip.TooLarge, "the body is larger than the limit of %d bytes", b.limit)
}

// readError returns the error of a client for an error of reading.
func (b *Body) readError(err error) error {
	var timeout net.Error
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return oip.Errorf(oip.TooLarge, "the body is larger than the limit of %d bytes", tooLarge.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return oip.Errorf(oip.Slow, "the body did not arrive in time: %d bytes were read", b.read)
	case errors.Is(err, context.Canceled):
		return oip.Errorf(oip.Canceled, "the client has gone")
	case b.compressed:
		return oip.Errorf(oip.Malformed, "the compressed body is broken after %d bytes: %v", b.read, err)
	default:
		return oip.Errorf(oip.Malformed, "the body is broken after %d bytes: %v", b.read, err)
	}
}
