package trace

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/url"

	"google.golang.org/protobuf/encoding/protowire"
)

// send posts the spans of batch and returns batch without them. Spans that a collector does not
// take are dropped: to keep them would only make the next batch larger.
func (t *Tracer) send(batch [][]Span) [][]Span {
	if len(batch) == 0 {
		return batch
	}
	if err := t.post(encode(t.options.Resource, batch)); err != nil {
		t.options.Logger.Warn("spans were not sent", "requests", len(batch), "error", err.Error())
	}
	if dropped := t.dropped.Swap(0); dropped > 0 {
		t.options.Logger.Warn("spans were dropped, too many wait", "requests", dropped)
	}
	clear(batch)
	return batch[:0]
}

// post sends body on a connection of its own: batches are seconds apart. http.Client would do more,
// such as following redirects, and take 500 KB of the program.
func (t *Tracer) post(body []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), t.options.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.options.Endpoint, bytes.NewReader(body))
	if err != nil {
		return err
	}
	for name, values := range t.options.Header {
		request.Header[name] = values
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	request.Close = true
	connection, err := t.dial(ctx, request.URL)
	if err != nil {
		return err
	}
	defer connection.Close()
	deadline, _ := ctx.Deadline()
	if err := connection.SetDeadline(deadline); err != nil {
		return err
	}
	if err := request.Write(connection); err != nil {
		return err
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("the collector at %s answers %s", t.options.Endpoint, response.Status)
	}
	return nil
}

// dial connects to the collector.
func (t *Tracer) dial(ctx context.Context, endpoint *url.URL) (net.Conn, error) {
	port := endpoint.Port()
	if port == "" {
		port = endpoint.Scheme // the names of the schemes are those of their ports
	}
	address := net.JoinHostPort(endpoint.Hostname(), port)
	if endpoint.Scheme == "https" {
		dialer := tls.Dialer{Config: &tls.Config{RootCAs: t.options.Roots, MinVersion: tls.VersionTLS12}}
		return dialer.DialContext(ctx, "tcp", address)
	}
	return new(net.Dialer).DialContext(ctx, "tcp", address)
}

// encode returns an ExportTraceServiceRequest of OTLP. The numbers of fields are those of
// opentelemetry/proto/trace/v1/trace.proto.
func encode(resource []Attribute, batch [][]Span) []byte {
	scope := field(nil, 1, []byte("github.com/vinoir/vinoir/serve"))
	scopeSpans := field(nil, 1, scope)
	for _, spans := range batch {
		for i := range spans {
			scopeSpans = field(scopeSpans, 2, encodeSpan(&spans[i]))
		}
	}
	resourceSpans := field(nil, 1, encodeAttributes(nil, 1, resource))
	resourceSpans = field(resourceSpans, 2, scopeSpans)
	return field(nil, 1, resourceSpans)
}

func encodeSpan(s *Span) []byte {
	const kindInternal, kindServer = 1, 2
	kind := uint64(kindInternal)
	if s.Server {
		kind = kindServer
	}
	b := field(nil, 1, s.TraceID[:])
	b = field(b, 2, s.SpanID[:])
	if s.State != "" {
		b = field(b, 3, []byte(s.State))
	}
	if s.ParentID != [8]byte{} {
		b = field(b, 4, s.ParentID[:])
	}
	b = field(b, 5, []byte(s.Name))
	b = protowire.AppendVarint(protowire.AppendTag(b, 6, protowire.VarintType), kind)
	b = protowire.AppendFixed64(protowire.AppendTag(b, 7, protowire.Fixed64Type), uint64(s.Start.UnixNano()))
	b = protowire.AppendFixed64(protowire.AppendTag(b, 8, protowire.Fixed64Type), uint64(s.End.UnixNano()))
	b = encodeAttributes(b, 9, s.Attributes)
	if s.Error != "" {
		const statusError = 2
		status := field(nil, 2, []byte(s.Error))
		status = protowire.AppendVarint(protowire.AppendTag(status, 3, protowire.VarintType), statusError)
		b = field(b, 15, status)
	}
	return b
}

// encodeAttributes appends each attribute as field number of b.
func encodeAttributes(b []byte, number protowire.Number, attributes []Attribute) []byte {
	for _, a := range attributes {
		b = field(b, number, field(field(nil, 1, []byte(a.Key)), 2, encodeValue(a.Value)))
	}
	return b
}

// encodeValue returns the AnyValue of value.
func encodeValue(value any) []byte {
	switch v := value.(type) {
	case string:
		return field(nil, 1, []byte(v))
	case bool:
		return protowire.AppendVarint(protowire.AppendTag(nil, 2, protowire.VarintType), protowire.EncodeBool(v))
	case int64:
		return protowire.AppendVarint(protowire.AppendTag(nil, 3, protowire.VarintType), uint64(v))
	case float64:
		return protowire.AppendFixed64(protowire.AppendTag(nil, 4, protowire.Fixed64Type), math.Float64bits(v))
	}
	return field(nil, 1, fmt.Append(nil, value))
}

// field appends field number of the wire type of bytes.
func field(b []byte, number protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, number, protowire.BytesType), content)
}
