package telemetry_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"github.com/vinoir/vinoir/serve/internal/oip"
	"github.com/vinoir/vinoir/serve/internal/telemetry"
	"github.com/vinoir/vinoir/serve/internal/trace"
)

// fake is a service with the versions 1 and 10 of the model m, of which 10 is chosen.
type fake struct {
	oip.Service
	gone    bool
	refused []string
	infer   func(context.Context, *oip.InferRequest) error
}

func (f *fake) Ready() bool { return true }

func (f *fake) ModelReady(model, version string) (bool, error) {
	if model != "m" || f.gone || version != "" && version != "1" && version != "01" && version != "10" {
		return false, oip.Errorf(oip.NotFound, "no model %q", model)
	}
	return true, nil
}

func (f *fake) ModelMetadata(model, version string) (*oip.ModelMetadata, error) {
	if _, err := f.ModelReady(model, version); err != nil {
		return nil, err
	}
	return &oip.ModelMetadata{Name: model}, nil
}

func (f *fake) ModelConfig(model, version string) (*oip.ModelConfig, error) {
	if _, err := f.ModelReady(model, version); err != nil {
		return nil, err
	}
	return &oip.ModelConfig{Name: model, Instances: 2}, nil
}

func (f *fake) Infer(ctx context.Context, r *oip.InferRequest) (*oip.InferResponse, error) {
	if _, err := f.ModelReady(r.Model, r.Version); err != nil {
		return nil, err
	}
	if f.infer != nil {
		if err := f.infer(ctx, r); err != nil {
			return nil, err
		}
	}
	version := r.Version
	if version == "" {
		version = "10"
	}
	telemetry.NoteTimes(ctx, telemetry.Times{
		Queued: time.Now(), Queue: 15 * time.Microsecond, Compute: 2 * time.Millisecond,
	})
	return &oip.InferResponse{Model: r.Model, Version: version}, nil
}

func (f *fake) Refused(model, _ string, _ error) { f.refused = append(f.refused, model) }

func (f *fake) Index() []oip.IndexEntry {
	if f.gone {
		return nil
	}
	return []oip.IndexEntry{{Name: "m", Version: "1"}, {Name: "m", Version: "10"}}
}

func (f *fake) Load(context.Context, string, oip.LoadOptions) error { return nil }

func (f *fake) Unload(context.Context, string) error {
	return oip.Errorf(oip.Unavailable, "models cannot be unloaded")
}

func (f *fake) Statistics(string, string) ([]oip.ModelStatistics, error) {
	if f.gone {
		return nil, errors.New("no statistics")
	}
	return []oip.ModelStatistics{
		{Name: "m", Version: "10", Pending: 1},
		{
			Name: "m", Version: "1", InferenceCount: 8, ExecutionCount: 3,
			Success: oip.Duration{Count: 5, Total: 7 * time.Millisecond},
			Queue:   oip.Duration{Count: 5, Total: time.Millisecond},
			Failures: map[oip.Reason]uint64{
				oip.ReasonRejected: 4,
			},
			LoadTime: 1500 * time.Millisecond, MemoryBytes: 1 << 20,
		},
	}, nil
}

func start(service *fake) *telemetry.Telemetry {
	return telemetry.New(telemetry.Options{
		Service: service, OVMS: true, Logger: slog.New(slog.DiscardHandler),
	})
}

// scrape returns the metrics as a map from a name with its labels to the value as text, and checks
// that all lines are as Prometheus wants them.
func scrape(t *testing.T, tel *telemetry.Telemetry) map[string]string {
	w := httptest.NewRecorder()
	tel.Metrics().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	require.Equal(t, "text/plain; version=0.0.4; charset=utf-8", w.Header().Get("Content-Type"))
	line := regexp.MustCompile(`^([a-z_:]+)((?:\{(?:[a-z]+="(?:[^"\\]|\\.)*",?)+\})?) ([-+0-9.eInf]+)$`)
	values := make(map[string]string)
	families := make(map[string]bool)
	family := ""
	for text := range strings.Lines(w.Body.String()) {
		text = strings.TrimSuffix(text, "\n")
		if help, ok := strings.CutPrefix(text, "# HELP "); ok {
			family, _, _ = strings.Cut(help, " ")
			require.False(t, families[family], "%s stands twice", family)
			families[family] = true
			continue
		}
		if kind, ok := strings.CutPrefix(text, "# TYPE "); ok {
			require.Regexp(t, "^"+family+" (counter|gauge|histogram)$", kind)
			continue
		}
		parts := line.FindStringSubmatch(text)
		require.NotNil(t, parts, "line %q", text)
		require.True(t, strings.HasPrefix(parts[1], family), text)
		require.NotContains(t, values, parts[1]+parts[2])
		values[parts[1]+parts[2]] = parts[3]
	}
	return values
}

func TestMetrics_triton(t *testing.T) {
	m := scrape(t, start(&fake{}))
	for name, value := range map[string]string{
		`nv_inference_request_success{model="m",version="1"}`:                   "5",
		`nv_inference_request_success{model="m",version="10"}`:                  "0",
		`nv_inference_request_failure{model="m",reason="REJECTED",version="1"}`: "4",
		`nv_inference_request_failure{model="m",reason="CANCELED",version="1"}`: "0",
		`nv_inference_request_failure{model="m",reason="BACKEND",version="1"}`:  "0",
		`nv_inference_request_failure{model="m",reason="OTHER",version="1"}`:    "0",
		`nv_inference_count{model="m",version="1"}`:                             "8",
		`nv_inference_exec_count{model="m",version="1"}`:                        "3",
		`nv_inference_request_duration_us{model="m",version="1"}`:               "7000",
		`nv_inference_queue_duration_us{model="m",version="1"}`:                 "1000",
		`nv_inference_compute_input_duration_us{model="m",version="1"}`:         "0",
		`nv_inference_compute_infer_duration_us{model="m",version="1"}`:         "0",
		`nv_inference_compute_output_duration_us{model="m",version="1"}`:        "0",
		`nv_inference_pending_request_count{model="m",version="10"}`:            "1",
		`nv_model_load_duration_secs{model="m",version="1"}`:                    "1.5",
		`nv_cache_num_hits_per_model{model="m",version="1"}`:                    "0",
		`nv_cache_num_misses_per_model{model="m",version="1"}`:                  "0",
		`vinoir_model_memory_bytes{model="m",version="1"}`:                      "1.048576e+06",
		`vinoir_ready`:                                    "1",
		`ovms_streams{name="m",version="1"}`:              "2",
		`ovms_infer_req_queue_size{name="m",version="1"}`: "2",
		`ovms_infer_req_active{name="m",version="10"}`:    "0",
	} {
		require.Equal(t, value, m[name], name)
	}
	for _, name := range []string{
		"go_goroutines", "go_memstats_heap_alloc_bytes", "process_start_time_seconds",
	} {
		require.Contains(t, m, name)
	}
}

func TestMetrics_withoutStatistics(t *testing.T) {
	require.Contains(t, scrape(t, start(&fake{gone: true})), "go_goroutines")
}

func TestObserve(t *testing.T) {
	service := &fake{}
	tel := start(service)
	rest, grpc := tel.Observe(telemetry.REST), tel.Observe(telemetry.GRPC)

	for range 3 {
		_, err := rest.Infer(t.Context(), &oip.InferRequest{Model: "m"})
		require.NoError(t, err)
	}
	_, err := grpc.Infer(t.Context(), &oip.InferRequest{Model: "m", Version: "1"})
	require.NoError(t, err)
	service.infer = func(context.Context, *oip.InferRequest) error { return oip.Errorf(oip.QueueFull, "the queue is full") }
	_, err = grpc.Infer(t.Context(), &oip.InferRequest{Model: "m", Version: "1"})
	require.Error(t, err)
	_, err = rest.ModelMetadata("m", "1")
	require.NoError(t, err)
	_, err = rest.ModelReady("m", "1")
	require.NoError(t, err)
	rest.Refused("m", "1", oip.Errorf(oip.Malformed, "ragged"))
	require.Equal(t, []string{"m"}, service.refused)
	require.NoError(t, rest.Load(t.Context(), "m", oip.LoadOptions{}))
	require.Error(t, rest.Unload(t.Context(), "m"))

	m := scrape(t, tel)
	for name, value := range map[string]string{
		`ovms_requests_success{api="KServe",interface="REST",method="ModelInfer",name="m",version="10"}`:   "3",
		`ovms_requests_success{api="KServe",interface="gRPC",method="ModelInfer",name="m",version="1"}`:    "1",
		`ovms_requests_fail{api="KServe",interface="gRPC",method="ModelInfer",name="m",version="1"}`:       "1",
		`ovms_requests_success{api="KServe",interface="REST",method="ModelMetadata",name="m",version="1"}`: "1",
		`ovms_requests_success{api="KServe",interface="REST",method="ModelReady",name="m",version="1"}`:    "1",
		`ovms_requests_fail{api="KServe",interface="REST",method="ModelInfer",name="m",version="1"}`:       "1",
		`ovms_request_time_us_count{interface="REST",name="m",version="10"}`:                               "3",
		`ovms_inference_time_us_sum{interface="REST",name="m",version="10"}`:                               "6000",
		`ovms_inference_time_us_bucket{interface="REST",name="m",version="10",le="1983.592904"}`:           "0",
		`ovms_inference_time_us_bucket{interface="REST",name="m",version="10",le="+Inf"}`:                  "3",
		`ovms_wait_for_infer_req_time_us_bucket{interface="REST",name="m",version="10",le="10"}`:           "0",
		`ovms_wait_for_infer_req_time_us_bucket{interface="REST",name="m",version="10",le="18"}`:           "3",
		`ovms_current_requests{name="m",version="10"}`:                                                     "0",
	} {
		require.Equal(t, value, m[name], name)
	}
}

// TestObserve_current checks that a request without a version counts for the newest while it runs.
func TestObserve_current(t *testing.T) {
	service := &fake{}
	tel := start(service)
	service.infer = func(context.Context, *oip.InferRequest) error {
		m := scrape(t, tel)
		require.Equal(t, "1", m[`ovms_current_requests{name="m",version="10"}`])
		require.Equal(t, "0", m[`ovms_current_requests{name="m",version="1"}`])
		return nil
	}
	_, err := tel.Observe(telemetry.GRPC).Infer(t.Context(), &oip.InferRequest{Model: "m"})
	require.NoError(t, err)
}

// TestObserve_unknown checks that names which clients make up are no labels.
func TestObserve_unknown(t *testing.T) {
	tel := start(&fake{})
	rest := tel.Observe(telemetry.REST)
	for i := range 100 {
		_, err := rest.Infer(t.Context(), &oip.InferRequest{Model: fmt.Sprint("made-up", i)})
		require.Error(t, err)
		_, err = rest.Infer(t.Context(), &oip.InferRequest{Model: "m", Version: fmt.Sprint(i + 11)})
		require.Error(t, err)
		_, err = rest.ModelMetadata(strings.Repeat("long", 1000), "")
		require.Error(t, err)
		_, _ = rest.ModelReady("m", "01")
	}
	for name := range scrape(t, tel) {
		require.NotContains(t, name, "made-up")
		require.NotContains(t, name, "REST")
	}
	recent := tel.Recent()
	require.Len(t, recent, 32)
	require.LessOrEqual(t, len(recent[0].Model), 131)
	require.Equal(t, "ModelMetadata", recent[0].Method)
	require.Equal(t, "110", recent[1].Version)
	require.Equal(t, "made-up99", recent[2].Model)
	require.Equal(t, "made-up90", recent[29].Model)
}

// TestObserve_gone checks that counts of a model that is gone are forgotten.
func TestObserve_gone(t *testing.T) {
	service := &fake{}
	tel := start(service)
	_, err := tel.Observe(telemetry.REST).Infer(t.Context(), &oip.InferRequest{Model: "m"})
	require.NoError(t, err)
	service.gone = true
	require.NotContains(t, fmt.Sprint(scrape(t, tel)), `name="m"`)
	service.gone = false
	require.NotContains(t, fmt.Sprint(scrape(t, tel)), "ovms_request_time_us_count")
}

// spans is a collector of OpenTelemetry.
func spans(t *testing.T) (tracer *trace.Tracer, received func() []*tracepb.Span) {
	var mu sync.Mutex
	var list []*tracepb.Span
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var data tracepb.TracesData
		if err := proto.Unmarshal(body, &data); err != nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		list = append(list, data.ResourceSpans[0].ScopeSpans[0].Spans...)
	}))
	t.Cleanup(server.Close)
	tracer = trace.New(trace.Options{
		Endpoint: server.URL, Timeout: time.Minute, Sampler: trace.Sampler{ParentBased: true},
		Delay: time.Hour, QueueSize: 10, BatchSize: 10, Logger: slog.New(slog.DiscardHandler),
	})
	return tracer, func() []*tracepb.Span {
		require.NoError(t, tracer.Close(context.Background()))
		return list
	}
}

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// TestTelemetry_trace checks the spans of a request by REST, a call and a stream of gRPC.
func TestTelemetry_trace(t *testing.T) {
	tracer, received := spans(t)
	service := &fake{}
	var log bytes.Buffer
	tel := telemetry.New(telemetry.Options{
		Service: service, Tracer: tracer,
		Logger: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	infer := func(ctx context.Context, protocol string) {
		_, err := tel.Observe(protocol).Infer(ctx, &oip.InferRequest{Model: "m", ID: "own"})
		require.NoError(t, err)
	}

	handler := tel.HTTP(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		infer(r.Context(), telemetry.REST)
	}))
	request := httptest.NewRequest(http.MethodPost, "/", nil)
	request.Header.Set("X-Request-ID", "seven")
	request.Header.Set("traceparent", traceparent)
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, request)
	require.Equal(t, "seven", w.Header().Get("X-Request-Id"))
	// One without a caller, which is not sampled.
	handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", nil))

	ctx := metadata.NewIncomingContext(t.Context(), metadata.Pairs("traceparent", traceparent, "x-request-id", "eight"))
	_, err := tel.Unary(ctx, nil, nil, func(ctx context.Context, _ any) (any, error) {
		infer(ctx, telemetry.GRPC)
		return nil, nil
	})
	require.NoError(t, err)
	ctx = metadata.NewIncomingContext(t.Context(), metadata.Pairs("traceparent", traceparent))
	err = tel.Stream(nil, serverStream{ctx: ctx}, nil, func(_ any, stream grpc.ServerStream) error {
		infer(stream.Context(), telemetry.GRPC)
		return nil
	})
	require.NoError(t, err)

	list := received()
	require.Len(t, list, 9)
	for i, want := range []string{"seven", "eight", "own"} {
		attributes := map[string]string{}
		for _, a := range list[3*i].Attributes {
			attributes[a.Key] = a.Value.GetStringValue()
		}
		require.Equal(t, want, attributes["request_id"])
		require.Equal(t, "m", attributes["model_name"])
		require.Equal(t, "10", attributes["model_version"])
		require.Equal(t, "queue", list[3*i+1].Name)
		require.Equal(t, "compute", list[3*i+2].Name)
		require.Equal(t, list[3*i+1].EndTimeUnixNano, list[3*i+2].StartTimeUnixNano)
	}
	require.Equal(t, 4, strings.Count(log.String(), `"msg":"infer"`))
	require.Contains(t, log.String(), `"request_id":"seven"`)
}

type serverStream struct {
	grpc.ServerStream
	ctx context.Context
}

func (s serverStream) Context() context.Context { return s.ctx }

// TestTelemetry_faults checks that faults of the server are logged, and errors of clients are not.
func TestTelemetry_faults(t *testing.T) {
	service := &fake{}
	var log bytes.Buffer
	tel := telemetry.New(telemetry.Options{Service: service, Logger: slog.New(slog.NewJSONHandler(&log, nil))})
	rest := tel.Observe(telemetry.REST)
	for _, err := range []error{
		oip.Errorf(oip.Malformed, "of the client"), oip.Errorf(oip.Internal, "of ours"), errors.New("unforeseen"),
	} {
		service.infer = func(context.Context, *oip.InferRequest) error { return err }
		_, got := rest.Infer(t.Context(), &oip.InferRequest{Model: "m"})
		require.Equal(t, err, got)
	}
	require.NotContains(t, log.String(), "of the client")
	require.Contains(t, log.String(), "of ours")
	require.Contains(t, log.String(), "unforeseen")
}

// TestTelemetry_concurrent is for the race detector.
func TestTelemetry_concurrent(t *testing.T) {
	tel := start(&fake{})
	var group sync.WaitGroup
	for _, protocol := range []string{telemetry.REST, telemetry.GRPC} {
		service := tel.Observe(protocol)
		group.Go(func() {
			for range 200 {
				_, _ = service.Infer(t.Context(), &oip.InferRequest{Model: "m"})
				_, _ = service.Infer(t.Context(), &oip.InferRequest{Model: "n"})
			}
		})
	}
	group.Go(func() {
		for range 20 {
			_ = tel.Recent()
			w := httptest.NewRecorder()
			tel.Metrics().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		}
	})
	group.Wait()
	require.Equal(t, "200", scrape(t, tel)[`ovms_request_time_us_count{interface="REST",name="m",version="10"}`])
}
