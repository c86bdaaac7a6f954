// Package pace ends requests over HTTP whose clients are too slow: those that send a body byte by
// byte, and those that do not read a response. Timeouts of http.Server are for whole requests: one
// that a large body on a slow line keeps would let such clients hold memory and connections for as
// long.
package pace

import (
	"io"
	"net/http"
	"strings"
	"time"
)

// Options say how slow a client may be. Zero fields mean the defaults.
type Options struct {
	// Grace is how long nothing needs to move. 0 means 20 s.
	Grace time.Duration
	// BytesPerSecond is how much must move, on average, after that. 0 means 16 KiB.
	BytesPerSecond int64
}

// withDefaults returns o with the defaults in the place of zeros.
func (o Options) withDefaults() Options {
	if o.Grace == 0 {
		o.Grace = 20 * time.Second
	}
	if o.BytesPerSecond == 0 {
		o.BytesPerSecond = 16 << 10
	}
	return o
}

// allowed is how long n bytes may take.
func (o Options) allowed(n int64) time.Duration {
	return o.Grace + time.Duration(float64(n)/float64(o.BytesPerSecond)*float64(time.Second))
}

// Handler returns a handler that answers by next. There, reading a body, or writing, fails with
// os.ErrDeadlineExceeded if the client is too slow. Bodies of gRPC can be streams without an end:
// for those that are not, there is Body.
func Handler(next http.Handler, o Options) http.Handler {
	o = o.withDefaults()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
			r = o.Body(w, r)
		}
		paced := &writer{ResponseWriter: w, control: http.NewResponseController(w), options: o}
		// On a connection of HTTP/1, the deadline of the last request may be over.
		paced.allow(time.Time{})
		next.ServeHTTP(paced, r)
		// net/http still has to write what it has kept.
		paced.allow(time.Now().Add(o.Grace))
	})
}

// Body returns r with a body that fails if the client sends it too slowly.
func (o Options) Body(w http.ResponseWriter, r *http.Request) *http.Request {
	if r.Body == nil || r.Body == http.NoBody {
		return r
	}
	r = r.WithContext(r.Context())
	r.Body = &body{
		ReadCloser: r.Body, control: http.NewResponseController(w), options: o.withDefaults(), start: time.Now(),
	}
	return r
}

// body is the body of a request.
type body struct {
	io.ReadCloser
	control *http.ResponseController
	options Options
	start   time.Time
	read    int64
	// deadline is the one that was set last.
	deadline time.Time
}

// Read reads from the body.
func (b *body) Read(p []byte) (int, error) {
	deadline := b.start.Add(b.options.allowed(b.read))
	// A deadline costs more than a read of some bytes, so it is not set for each.
	if deadline.Sub(b.deadline) > b.options.Grace/4 {
		// Where there are no deadlines, there is no slow client.
		_ = b.control.SetReadDeadline(deadline)
		b.deadline = deadline
	}
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	if err == io.EOF {
		// From here on, net/http waits for the client to go, which has no deadline.
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// writer is the writer of a response. It has a deadline only while it writes: HTTP/2 ends a
// response at its deadline, even if nothing waits to be written.
type writer struct {
	http.ResponseWriter
	control *http.ResponseController
	options Options
}

// allow sets the deadline. Where there are none, there is no slow client.
func (w *writer) allow(deadline time.Time) { _ = w.control.SetWriteDeadline(deadline) }

// Write writes to the response.
func (w *writer) Write(p []byte) (int, error) {
	w.allow(time.Now().Add(w.options.allowed(int64(len(p)))))
	defer w.allow(time.Time{})
	return w.ResponseWriter.Write(p)
}

// Flush sends what was written.
func (w *writer) Flush() {
	w.allow(time.Now().Add(w.options.Grace))
	defer w.allow(time.Time{})
	_ = w.control.Flush()
}

// Unwrap returns the writer below, for http.ResponseController.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
