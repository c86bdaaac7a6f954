package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/vinoir/vinoir/serve/internal/oip"
)

// The names of protocols, as OVMS's metrics have them.
const (
	REST = "REST"
	GRPC = "gRPC"
)

// Observe returns the service for one protocol: calls of it are counted and reach the service of t.
func (t *Telemetry) Observe(protocol string) oip.Service {
	return &observed{Service: t.options.Service, t: t, protocol: protocol}
}

// observed is a Service that counts. The calls that it does not have are those of the Service.
type observed struct {
	oip.Service
	t        *Telemetry
	protocol string
}

// The methods that are counted, as OVMS's metrics name them.
const (
	methodInfer    = "ModelInfer"
	methodMetadata = "ModelMetadata"
	methodReady    = "ModelReady"
	methodLoad     = "RepositoryModelLoad"
	methodUnload   = "RepositoryModelUnload"
)

// Infer counts and times a request, and records its span.
func (o *observed) Infer(ctx context.Context, request *oip.InferRequest) (*oip.InferResponse, error) {
	arrival := arrivalOf(ctx)
	span := o.t.options.Tracer.Start(arrival.parent, methodInfer, arrival.time)
	// Until the answer tells the version that was chosen, the request counts for what it asked for.
	entered, known := o.series(request.Model, request.Version)
	if known {
		entered.enter(1)
		defer entered.enter(-1)
	}

	var times Times
	response, err := o.Service.Infer(context.WithValue(ctx, timesKey{}, &times), request)

	end := time.Now()
	version := request.Version
	if err == nil {
		version = response.Version
		s := o.t.of(key{request.Model, version, o.protocol})
		s.request.observe(o.t.bounds, end.Sub(arrival.time))
		if !times.Queued.IsZero() {
			s.queue.observe(o.t.bounds, times.Queue)
			s.inference.observe(o.t.bounds, times.Compute)
			computed := times.Queued.Add(times.Queue)
			span.Child("queue", times.Queued, computed)
			span.Child("compute", computed, computed.Add(times.Compute))
		}
	}
	o.ended(methodInfer, request.Model, version, err)
	span.Set("model_name", request.Model)
	span.Set("model_version", version)
	span.Set("request_id", requestID(request, arrival))
	span.Set("rpc.system", o.protocol)
	span.End(end, err)
	if o.t.options.Logger.Enabled(ctx, slog.LevelDebug) {
		o.t.options.Logger.DebugContext(ctx, "infer", append(o.attributes(arrival, request, version, err),
			slog.Float64("seconds", end.Sub(arrival.time).Seconds()))...)
	} else if isFault(err) {
		o.t.options.Logger.ErrorContext(ctx, "infer", o.attributes(arrival, request, version, err)...)
	}
	return response, err
}

// Times are the parts of the time of a request. Compute begins when Queue ends.
type Times struct {
	// Queued is when the request began to wait; zero if it did not, as for an answer from a cache.
	Queued time.Time
	// Queue is how long it waited, Compute how long the inference took that it was part of.
	Queue, Compute time.Duration
}

type timesKey struct{}

// NoteTimes tells the times of the request of ctx, which is that of Service.Infer or made from it.
// It is called before Infer returns.
func NoteTimes(ctx context.Context, times Times) {
	if noted, ok := ctx.Value(timesKey{}).(*Times); ok {
		*noted = times
	}
}

// attributes describe a request in a log.
func (o *observed) attributes(a arrival, request *oip.InferRequest, version string, err error) []any {
	list := []any{
		slog.String("protocol", o.protocol), slog.String("model", cut(request.Model)),
		slog.String("version", cut(version)), slog.String("request_id", cut(requestID(request, a))),
	}
	if err != nil {
		list = append(list, slog.String("error", err.Error()))
	}
	return list
}

// requestID returns the client's name for a request: that of the header, or of the protocol.
func requestID(request *oip.InferRequest, a arrival) string {
	if a.requestID != "" {
		return a.requestID
	}
	return request.ID
}

// isFault reports whether err is the server's fault, and not the client's or that of its load.
func isFault(err error) bool {
	if err == nil {
		return false
	}
	var known *oip.Error
	return !errors.As(err, &known) || known.Code == oip.Internal
}

func (o *observed) ModelMetadata(model, version string) (*oip.ModelMetadata, error) {
	metadata, err := o.Service.ModelMetadata(model, version)
	o.ended(methodMetadata, model, version, err)
	return metadata, err
}

func (o *observed) ModelReady(model, version string) (bool, error) {
	ready, err := o.Service.ModelReady(model, version)
	// A question for a model that is not there is no failure: clients wait for models so.
	if s, known := o.series(model, version); known {
		s.count(methodReady, err)
	}
	return ready, err
}

func (o *observed) Refused(model, version string, err error) {
	o.Service.Refused(model, version, err)
	o.ended(methodInfer, model, version, err)
}

func (o *observed) Load(ctx context.Context, model string, options oip.LoadOptions) error {
	start := time.Now()
	err := o.Service.Load(ctx, model, options)
	o.changed(ctx, methodLoad, model, start, err)
	return err
}

func (o *observed) Unload(ctx context.Context, model string) error {
	start := time.Now()
	err := o.Service.Unload(ctx, model)
	o.changed(ctx, methodUnload, model, start, err)
	return err
}

// changed logs a call that changes which models there are, and counts it.
func (o *observed) changed(ctx context.Context, method, model string, start time.Time, err error) {
	o.ended(method, model, "", err)
	attributes := []any{
		slog.String("protocol", o.protocol), slog.String("model", cut(model)),
		slog.Float64("seconds", time.Since(start).Seconds()),
	}
	if err != nil {
		attributes = append(attributes, slog.String("error", err.Error()))
	}
	o.t.options.Logger.InfoContext(ctx, method, attributes...)
}

// ended counts a call and remembers its error.
func (o *observed) ended(method, model, version string, err error) {
	if s, known := o.series(model, version); known {
		s.count(method, err)
	}
	if err != nil {
		o.t.remember(Event{
			Time: time.Now(), Protocol: o.protocol, Method: method, Model: model, Version: version, Text: err.Error(),
		})
	}
}

// series returns the counts of a version; false if there is no such model or version. A version
// that the client leaves out has counts of its own until an answer says which it was.
func (o *observed) series(model, version string) (*series, bool) {
	k := key{model, version, o.protocol}
	o.t.mu.Lock()
	s := o.t.series[k]
	o.t.mu.Unlock()
	if s != nil {
		return s, true
	}
	if _, err := o.Service.ModelReady(model, version); err != nil || !isCanonical(version) {
		return nil, false
	}
	return o.t.of(k), true
}

// isCanonical reports whether version is written as the server writes it: 1, 01 and 001 would else
// count apart.
func isCanonical(version string) bool {
	return version == "" || version[0] >= '1' && version[0] <= '9' || version == "0"
}
