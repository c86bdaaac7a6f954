package grpcapi

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	health "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/vinoir/vinoir/serve/internal/oip"
)

// watchInterval is how often Watch asks whether the server is ready.
const watchInterval = 200 * time.Millisecond

// healthServer is grpc.health.v1.Health, for the probes of Kubernetes. The server as a whole and
// its service are what can be asked for: whether a model is ready, ModelReady says.
type healthServer struct {
	health.UnimplementedHealthServer
	models oip.Service
	ending <-chan struct{}
}

// known says whether service is one that can be asked for.
func (*healthServer) known(service string) bool { return service == "" || service == ServiceName }

// response says whether the server is ready.
func (h *healthServer) response() *health.HealthCheckResponse {
	if h.models.Ready() {
		return &health.HealthCheckResponse{Status: health.HealthCheckResponse_SERVING}
	}
	return &health.HealthCheckResponse{Status: health.HealthCheckResponse_NOT_SERVING}
}

// Check answers the state of a service; NOT_FOUND if there is no such service.
func (h *healthServer) Check(_ context.Context, r *health.HealthCheckRequest) (*health.HealthCheckResponse, error) {
	if !h.known(r.GetService()) {
		return nil, status.Errorf(codes.NotFound, "there is no service %.100q", r.GetService())
	}
	return h.response(), nil
}

// List answers the state of all services.
func (h *healthServer) List(context.Context, *health.HealthListRequest) (*health.HealthListResponse, error) {
	return &health.HealthListResponse{Statuses: map[string]*health.HealthCheckResponse{
		"": h.response(), ServiceName: h.response(),
	}}, nil
}

// Watch sends the state of a service now and whenever it changes, until the client or the server
// ends. As the protocol has it, a service that does not exist could still come.
func (h *healthServer) Watch(
	r *health.HealthCheckRequest, stream grpc.ServerStreamingServer[health.HealthCheckResponse],
) error {
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	last := health.HealthCheckResponse_UNKNOWN
	for {
		response := &health.HealthCheckResponse{Status: health.HealthCheckResponse_SERVICE_UNKNOWN}
		if h.known(r.GetService()) {
			response = h.response()
		}
		if response.Status != last {
			if err := stream.Send(response); err != nil {
				return err
			}
			last = response.Status
		}
		select {
		case <-stream.Context().Done():
			return statusError(stream.Context().Err())
		case <-h.ending:
			return statusError(oip.Errorf(oip.Unavailable, "the server is ending"))
		case <-ticker.C:
		}
	}
}
