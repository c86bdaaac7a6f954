package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/vinoir/vinoir/serve/internal/oip"
)

// Headers with the time after which an answer is of no use: that which Envoy and Istio send, in
// milliseconds, and one in seconds with a fraction.
const (
	headerEnvoyTimeout = "X-Envoy-Expected-Rq-Timeout-Ms"
	headerTimeout      = "X-Request-Timeout"
)

// WithDeadline returns the context of r, with the deadline of its headers.
func WithDeadline(r *http.Request) (context.Context, context.CancelFunc, error) {
	ctx := r.Context()
	for _, header := range []struct {
		name string
		unit time.Duration
	}{{headerTimeout, time.Second}, {headerEnvoyTimeout, time.Millisecond}} {
		values := r.Header[header.name]
		if len(values) == 0 {
			continue
		}
		n, err := strconv.ParseFloat(values[0], 64)
		timeout := n * float64(header.unit)
		if err != nil || !(n > 0) || timeout > float64(1<<62) {
			return nil, nil, oip.Errorf(oip.Malformed, "header %s is %.40q, expected a time above 0", header.name, values[0])
		}
		ctx, cancel := context.WithTimeout(ctx, time.Duration(timeout))
		return ctx, cancel, nil
	}
	return ctx, func() {}, nil
}
