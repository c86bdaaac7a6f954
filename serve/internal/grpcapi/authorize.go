package grpcapi

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"google.golang.org/grpc/tap"

	"github.com/vinoir/vinoir/serve/internal/oip"
)

// tap refuses a call without a key when its headers are there: a message of many megabytes is not
// even received.
func (s *Server) tap(ctx context.Context, call *tap.Info) (context.Context, error) {
	var authorization string
	if values := call.Header.Get("authorization"); len(values) > 0 {
		authorization = values[0]
	}
	if err := s.authorize(call.FullMethodName, authorization); err != nil {
		return ctx, statusError(err)
	}
	return ctx, nil
}

// authorize returns an error if a call of method needs a key that authorization has not.
func (s *Server) authorize(method, authorization string) error {
	if s.keys == nil {
		return nil
	}
	return s.keys.Authorize(scopeOf(method), authorization)
}

// writeStatus answers a call with an error before it is read: the status is in the headers.
func writeStatus(w http.ResponseWriter, r *http.Request, err error) {
	known := oip.ErrorOf(err)
	header := w.Header()
	header.Set("Content-Type", r.Header.Get("Content-Type"))
	header.Set("Grpc-Status", strconv.Itoa(int(statusCodes[known.Code])))
	header.Set("Grpc-Message", url.PathEscape(known.Text))
	w.WriteHeader(http.StatusOK)
}
