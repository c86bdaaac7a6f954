// Package trace sends spans to a collector of OpenTelemetry: OTLP over HTTP, as the environment
// variables OTEL_* say. Without an endpoint there is no Tracer, and a request costs nothing.
//
// It has what a server needs and not more: spans with children whose times are known when they are
// made, the context of W3C's traceparent, the samplers of the specification, and one exporter.
package trace

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"encoding/binary"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Tracer makes spans and sends them. A nil Tracer makes none.
type Tracer struct {
	options Options
	queue   chan []Span
	dropped atomic.Uint64
	// closing is closed by Close, done when all spans are sent.
	closing, done chan struct{}
	closeOnce     sync.Once
}

// Options say where spans go. FromEnvironment fills them.
type Options struct {
	// Endpoint is the URL that spans are posted to, and Header what is sent with them.
	Endpoint string
	Header   http.Header
	// Timeout is how long a request to the collector may take, Roots the certificates that its own
	// must come from; nil means the system's.
	Timeout time.Duration
	Roots   *x509.CertPool
	// Resource describes the server: service.name and others.
	Resource []Attribute
	Sampler  Sampler
	// Delay is how long spans are collected, QueueSize how many requests' spans wait, and BatchSize
	// how many requests' spans are sent at once.
	Delay                time.Duration
	QueueSize, BatchSize int
	// Logger hears of spans that could not be sent.
	Logger *slog.Logger
}

// Attribute is a name with a value: a string, bool, int64 or float64.
type Attribute struct {
	Key   string
	Value any
}

// Span is a finished piece of work.
type Span struct {
	TraceID          [16]byte
	SpanID, ParentID [8]byte
	State            string
	Name             string
	// Server is set for the span of a request, and not for its parts.
	Server     bool
	Start, End time.Time
	Attributes []Attribute
	// Error is why the work failed; empty if it did not.
	Error string
}

// New returns a Tracer that runs until Close.
func New(options Options) *Tracer {
	t := &Tracer{
		options: options,
		queue:   make(chan []Span, options.QueueSize),
		closing: make(chan struct{}),
		done:    make(chan struct{}),
	}
	go t.run()
	return t
}

// Request is the span of a request while it is open. A nil Request is not recorded.
type Request struct {
	tracer *Tracer
	spans  []Span
}

// Start begins the span of a request that arrived with parent. It returns nil if the request is not
// to be recorded.
func (t *Tracer) Start(parent Parent, name string, start time.Time) *Request {
	if t == nil {
		return nil
	}
	traceID := parent.TraceID
	if !parent.Valid() {
		traceID = newTraceID()
	}
	if !t.options.Sampler.sample(parent, traceID) {
		return nil
	}
	return &Request{tracer: t, spans: []Span{{
		TraceID: traceID, SpanID: newSpanID(), ParentID: parent.SpanID, State: parent.State,
		Name: name, Server: true, Start: start,
	}}}
}

// Set adds an attribute.
func (r *Request) Set(key string, value any) {
	if r != nil {
		r.spans[0].Attributes = append(r.spans[0].Attributes, Attribute{key, value})
	}
}

// Child adds a part of the request.
func (r *Request) Child(name string, start, end time.Time) {
	if r != nil {
		root := &r.spans[0]
		r.spans = append(r.spans, Span{
			TraceID: root.TraceID, SpanID: newSpanID(), ParentID: root.SpanID, State: root.State,
			Name: name, Start: start, End: end,
		})
	}
}

// End ends the span and hands it over to be sent. A nil error means success. If too many spans
// wait, these are dropped: a trace never holds a request up.
func (r *Request) End(end time.Time, err error) {
	if r == nil {
		return
	}
	r.spans[0].End = end
	if err != nil {
		r.spans[0].Error = err.Error()
	}
	select {
	case r.tracer.queue <- r.spans:
	default:
		r.tracer.dropped.Add(1)
	}
}

// Close sends what is left, until ctx is done. Spans that end afterwards are lost.
func (t *Tracer) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	t.closeOnce.Do(func() { close(t.closing) })
	select {
	case <-t.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run collects spans, and sends them when there are enough or Delay is over.
func (t *Tracer) run() {
	defer close(t.done)
	ticker := time.NewTicker(t.options.Delay)
	defer ticker.Stop()
	var batch [][]Span
	for {
		select {
		case spans := <-t.queue:
			if batch = append(batch, spans); len(batch) >= t.options.BatchSize {
				batch = t.send(batch)
			}
		case <-ticker.C:
			batch = t.send(batch)
		case <-t.closing:
			for {
				select {
				case spans := <-t.queue:
					batch = append(batch, spans)
				default:
					t.send(batch)
					return
				}
			}
		}
	}
}

// newTraceID and newSpanID return random numbers: zero would mean that there is none, and does not
// come from crypto/rand.
func newTraceID() (id [16]byte) {
	_, _ = rand.Read(id[:]) // never fails
	return id
}

func newSpanID() (id [8]byte) {
	_, _ = rand.Read(id[:])
	return id
}

// Sampler decides which requests are recorded.
type Sampler struct {
	// ParentBased follows the decision of the caller if there is one.
	ParentBased bool
	// Ratio is the share of the traces that are recorded otherwise.
	Ratio float64
}

// sample decides by the number of the trace, so that all servers of a trace decide alike.
func (s Sampler) sample(parent Parent, traceID [16]byte) bool {
	if s.ParentBased && parent.Valid() {
		return parent.Sampled
	}
	if s.Ratio >= 1 {
		return true
	}
	return float64(binary.BigEndian.Uint64(traceID[8:])>>1) < s.Ratio*(1<<63)
}
