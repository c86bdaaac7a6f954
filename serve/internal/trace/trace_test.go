package trace_test

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/vinoir/vinoir/serve/internal/trace"
)

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

func TestParseParent(t *testing.T) {
	p := trace.ParseParent(traceparent, "vendor=1")
	require.True(t, p.Valid())
	require.True(t, p.Sampled)
	require.Equal(t, byte(0x4b), p.TraceID[0])
	require.Equal(t, byte(0xb7), p.SpanID[7])
	require.Equal(t, "vendor=1", p.State)
	require.Empty(t, trace.ParseParent(traceparent, strings.Repeat("x", 513)).State)

	require.False(t, trace.ParseParent(strings.TrimSuffix(traceparent, "1")+"0", "").Sampled)
	require.True(t, trace.ParseParent("01"+traceparent[2:]+"-more", "").Valid())
	for _, wrong := range []string{
		"", "00", traceparent[:54], traceparent + "-more", "ff" + traceparent[2:], "0g" + traceparent[2:],
		"01" + traceparent[2:] + "more", strings.ToUpper(traceparent), strings.ReplaceAll(traceparent, "-", "_"),
		"00-00000000000000000000000000000000-00f067aa0ba902b7-01",
		"00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
	} {
		require.Zero(t, trace.ParseParent(wrong, "vendor=1"), wrong)
	}
}

func FuzzParseParent(f *testing.F) {
	f.Add(traceparent, "a=b")
	f.Fuzz(func(t *testing.T, traceparent, tracestate string) {
		if p := trace.ParseParent(traceparent, tracestate); !p.Valid() {
			require.Zero(t, p)
		}
	})
}

// collector is a server that keeps what is posted to it.
type collector struct {
	*httptest.Server
	status int

	mu      sync.Mutex
	spans   []*tracepb.ResourceSpans
	headers []http.Header
	paths   []string
}

func newCollector(t *testing.T) *collector {
	c := &collector{status: http.StatusOK}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var data tracepb.TracesData
		if err == nil {
			err = proto.Unmarshal(body, &data)
		}
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.spans = append(c.spans, data.ResourceSpans...)
		c.headers = append(c.headers, r.Header)
		c.paths = append(c.paths, r.URL.Path)
		w.WriteHeader(c.status)
	}))
	t.Cleanup(c.Close)
	return c
}

func environment(pairs map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := pairs[name]
		return value, ok
	}
}

func TestTracer(t *testing.T) {
	c := newCollector(t)
	tracer, err := trace.FromEnvironment(environment(map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL + "/",
		"OTEL_EXPORTER_OTLP_HEADERS":  "api-key=a%20b,malformed",
		"OTEL_SERVICE_NAME":           "ours",
		"OTEL_RESOURCE_ATTRIBUTES":    "service.name=theirs,zone=here",
	}), []trace.Attribute{{Key: "service.name", Value: "vinoir-serve"}}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)

	start := time.Unix(1000, 5)
	request := tracer.Start(trace.ParseParent(traceparent, "vendor=1"), "ModelInfer", start)
	request.Set("model_name", "m")
	request.Set("rows", int64(3))
	request.Set("cached", true)
	request.Set("share", 0.5)
	request.Child("queue", start, start.Add(time.Second))
	request.End(start.Add(2*time.Second), errors.New("no such input"))
	tracer.Start(trace.Parent{}, "ModelInfer", start).End(start, nil)
	require.NoError(t, tracer.Close(t.Context()))
	require.NoError(t, tracer.Close(t.Context()))

	require.Equal(t, []string{"/v1/traces"}, c.paths)
	require.Equal(t, "a b", c.headers[0].Get("Api-Key"))
	require.Len(t, c.spans, 1)
	resource := map[string]string{}
	for _, a := range c.spans[0].Resource.Attributes {
		resource[a.Key] = a.Value.GetStringValue()
	}
	require.Equal(t, map[string]string{"service.name": "ours", "zone": "here"}, resource)
	spans := c.spans[0].ScopeSpans[0].Spans
	require.Len(t, spans, 3)

	root, queue, other := spans[0], spans[1], spans[2]
	require.Equal(t, "ModelInfer", root.Name)
	require.Equal(t, tracepb.Span_SPAN_KIND_SERVER, root.Kind)
	require.Equal(t, []byte{0x00, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7}, root.ParentSpanId)
	require.Equal(t, "vendor=1", root.TraceState)
	require.Equal(t, uint64(start.UnixNano()), root.StartTimeUnixNano)
	require.Equal(t, uint64(start.Add(2*time.Second).UnixNano()), root.EndTimeUnixNano)
	require.Equal(t, tracepb.Status_STATUS_CODE_ERROR, root.Status.Code)
	require.Equal(t, "no such input", root.Status.Message)
	require.Equal(t, "m", root.Attributes[0].Value.GetStringValue())
	require.Equal(t, int64(3), root.Attributes[1].Value.GetIntValue())
	require.True(t, root.Attributes[2].Value.GetBoolValue())
	require.Equal(t, 0.5, root.Attributes[3].Value.GetDoubleValue())

	require.Equal(t, "queue", queue.Name)
	require.Equal(t, tracepb.Span_SPAN_KIND_INTERNAL, queue.Kind)
	require.Equal(t, root.TraceId, queue.TraceId)
	require.Equal(t, root.SpanId, queue.ParentSpanId)

	require.Empty(t, other.ParentSpanId)
	require.Nil(t, other.Status)
	require.NotEqual(t, root.TraceId, other.TraceId)
}

// TestTracer_batches checks that spans are sent before the end when there are enough.
func TestTracer_batches(t *testing.T) {
	c := newCollector(t)
	for _, variables := range []map[string]string{
		{"OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "1"}, {"OTEL_BSP_SCHEDULE_DELAY": "1"},
	} {
		c.mu.Lock()
		c.spans = nil
		c.mu.Unlock()
		variables["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] = c.URL + "/here"
		tracer, err := trace.FromEnvironment(environment(variables), nil, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		tracer.Start(trace.Parent{}, "x", time.Now()).End(time.Now(), nil)
		require.Eventually(t, func() bool {
			c.mu.Lock()
			defer c.mu.Unlock()
			return len(c.spans) == 1 && c.paths[len(c.paths)-1] == "/here"
		}, 5*time.Second, time.Millisecond)
		require.NoError(t, tracer.Close(t.Context()))
	}
}

// TestTracer_lost checks that spans which nobody takes hold nothing up and are reported.
func TestTracer_lost(t *testing.T) {
	c := newCollector(t)
	c.status = http.StatusServiceUnavailable
	var log strings.Builder
	options := trace.Options{
		Endpoint: c.URL, Timeout: time.Minute, Sampler: trace.Sampler{Ratio: 1},
		Delay: time.Hour, QueueSize: 1, BatchSize: 1000, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	}
	tracer := trace.New(options)
	for range 10_000 {
		tracer.Start(trace.Parent{}, "x", time.Now()).End(time.Now(), nil)
	}
	require.NoError(t, tracer.Close(t.Context()))
	require.Contains(t, log.String(), "503")
}

func TestTracer_nil(t *testing.T) {
	var tracer *trace.Tracer
	request := tracer.Start(trace.Parent{}, "x", time.Now())
	require.Nil(t, request)
	request.Set("a", "b")
	request.Child("y", time.Now(), time.Now())
	request.End(time.Now(), nil)
	require.NoError(t, tracer.Close(t.Context()))
}

func TestFromEnvironment_off(t *testing.T) {
	for _, variables := range []map[string]string{
		{},
		{"OTEL_SERVICE_NAME": "x"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:1", "OTEL_SDK_DISABLED": "true"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:1", "OTEL_TRACES_EXPORTER": "none"},
	} {
		tracer, err := trace.FromEnvironment(environment(variables), nil, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		require.Nil(t, tracer)
	}
}

func TestFromEnvironment_sampler(t *testing.T) {
	sampled := trace.ParseParent(traceparent, "")
	unsampled := sampled
	unsampled.Sampled = false
	for _, c := range []struct {
		sampler, argument       string
		none, sampled, unsample bool
	}{
		{"", "", true, true, false},
		{"always_on", "", true, true, true},
		{"always_off", "", false, false, false},
		{"parentbased_always_off", "", false, true, false},
		{"traceidratio", "0", false, false, false},
		{"traceidratio", "", true, true, true},
		{"parentbased_traceidratio", "0", false, true, false},
	} {
		tracer, err := trace.FromEnvironment(environment(map[string]string{
			"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1",
			"OTEL_TRACES_SAMPLER":         c.sampler, "OTEL_TRACES_SAMPLER_ARG": c.argument,
		}), nil, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		for parent, want := range map[trace.Parent]bool{{}: c.none, sampled: c.sampled, unsampled: c.unsample} {
			require.Equal(t, want, tracer.Start(parent, "x", time.Now()) != nil, "%v %v", c, parent)
		}
		require.NoError(t, tracer.Close(t.Context()))
	}
}

func TestFromEnvironment_wrong(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	for name, value := range map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT":        "localhost:4318",
		"OTEL_EXPORTER_OTLP_PROTOCOL":        "grpc",
		"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json",
		"OTEL_EXPORTER_OTLP_TIMEOUT":         "10s",
		"OTEL_EXPORTER_OTLP_CERTIFICATE":     empty,
		"OTEL_TRACES_SAMPLER":                "sometimes",
		"OTEL_BSP_SCHEDULE_DELAY":            "0",
		"OTEL_BSP_MAX_QUEUE_SIZE":            "-1",
		"OTEL_BSP_MAX_EXPORT_BATCH_SIZE":     "99999999999",
	} {
		variables := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:1", name: value}
		_, err := trace.FromEnvironment(environment(variables), nil, slog.New(slog.DiscardHandler))
		require.ErrorContains(t, err, strings.Replace(name, "_TRACES_P", "_P", 1))
	}
	_, err := trace.FromEnvironment(environment(map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:1",
		"OTEL_TRACES_SAMPLER":         "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "NaN",
	}), nil, slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, `"NaN" is not a number from 0 to 1`)
	_, err = trace.FromEnvironment(environment(map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:1", "OTEL_EXPORTER_OTLP_CERTIFICATE": "/no/such/file",
	}), nil, slog.New(slog.DiscardHandler))
	require.ErrorIs(t, err, os.ErrNotExist)
}
