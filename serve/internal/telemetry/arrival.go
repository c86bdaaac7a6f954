package telemetry

import (
	"context"
	"net/http"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/vinoir/vinoir/serve/internal/trace"
)

// arrival is what is known of a request before it is read.
type arrival struct {
	time      time.Time
	parent    trace.Parent
	requestID string
}

type arrivalKey struct{}

// arrivalOf returns the arrival of the request of ctx, which is now if nothing was noted.
func arrivalOf(ctx context.Context) arrival {
	a, _ := ctx.Value(arrivalKey{}).(arrival)
	if a.time.IsZero() {
		a.time = time.Now()
	}
	return a
}

// The names of the headers of REST, which are those of gRPC in lower case.
const (
	requestIDHeader   = "X-Request-Id"
	traceparentHeader = "Traceparent"
	tracestateHeader  = "Tracestate"
)

// HTTP notes the arrival of each request for next, and returns the X-Request-Id of the client in
// the answer.
func (t *Telemetry) HTTP(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := arrival{time: time.Now()}
		if id := r.Header[requestIDHeader]; len(id) > 0 && len(id[0]) <= maxEventName {
			a.requestID = id[0]
			w.Header()[requestIDHeader] = id[:1]
		}
		if t.options.Tracer != nil {
			a.parent = trace.ParseParent(r.Header.Get(traceparentHeader), r.Header.Get(tracestateHeader))
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), arrivalKey{}, a)))
	})
}

// Unary notes the arrival of each call of gRPC.
func (t *Telemetry) Unary(
	ctx context.Context, request any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler,
) (any, error) {
	return handler(context.WithValue(ctx, arrivalKey{}, t.arrivalOfCall(ctx)), request)
}

// Stream notes who calls. The requests of a stream arrive one after the other, so each has a time
// of its own: that at which it is inferred.
func (t *Telemetry) Stream(
	server any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handler grpc.StreamHandler,
) error {
	a := t.arrivalOfCall(stream.Context())
	a.time = time.Time{}
	return handler(server, arrivedStream{stream, context.WithValue(stream.Context(), arrivalKey{}, a)})
}

// arrivedStream is a stream with another context.
type arrivedStream struct {
	grpc.ServerStream
	ctx context.Context
}

func (s arrivedStream) Context() context.Context { return s.ctx }

func (t *Telemetry) arrivalOfCall(ctx context.Context) arrival {
	a := arrival{time: time.Now()}
	if id := first(ctx, "x-request-id"); len(id) <= maxEventName {
		a.requestID = id
	}
	if t.options.Tracer != nil {
		a.parent = trace.ParseParent(first(ctx, "traceparent"), first(ctx, "tracestate"))
	}
	return a
}

// first returns the first value of a header of the call of ctx.
func first(ctx context.Context, name string) string {
	if values := metadata.ValueFromIncomingContext(ctx, name); len(values) > 0 {
		return values[0]
	}
	return ""
}
