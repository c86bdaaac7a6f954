package grpcapi

import (
	"context"
	"strconv"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/vinoir/vinoir/serve/internal/oip"
)

// statusCodes are the codes of gRPC for those of oip.
var statusCodes = [...]codes.Code{
	oip.Malformed:           codes.InvalidArgument,
	oip.NotFound:            codes.NotFound,
	oip.Unauthenticated:     codes.Unauthenticated,
	oip.PermissionDenied:    codes.PermissionDenied,
	oip.MethodNotAllowed:    codes.Unimplemented,
	oip.Slow:                codes.DeadlineExceeded,
	oip.TooLarge:            codes.ResourceExhausted,
	oip.UnsupportedEncoding: codes.Unimplemented,
	oip.QueueFull:           codes.ResourceExhausted,
	oip.Internal:            codes.Internal,
	oip.Unavailable:         codes.Unavailable,
	oip.DeadlineExceeded:    codes.DeadlineExceeded,
	oip.Canceled:            codes.Canceled,
}

// statusError returns err as gRPC has it.
func statusError(err error) error {
	known := oip.ErrorOf(err)
	return status.Error(statusCodes[known.Code], known.Text)
}

// answerError is statusError for a call that ends with err. It also tells the client when to try
// again.
func answerError(ctx context.Context, err error) error {
	if wait := oip.ErrorOf(err).RetryAfter; wait > 0 {
		// If it fails, the call is over, and nobody waits for the trailer.
		_ = grpc.SetTrailer(ctx, metadata.Pairs("grpc-retry-pushback-ms", strconv.FormatInt(wait.Milliseconds(), 10)))
	}
	return statusError(err)
}
