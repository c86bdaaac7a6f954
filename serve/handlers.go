package serve

import (
	"net/http"
	"strings"

	"github.com/vinoir/vinoir/serve/internal/access"
	"github.com/vinoir/vinoir/serve/internal/httpapi"
	"github.com/vinoir/vinoir/serve/internal/oip"
	"github.com/vinoir/vinoir/serve/internal/page"
	"github.com/vinoir/vinoir/serve/internal/rest"
	"github.com/vinoir/vinoir/serve/internal/telemetry"
	"github.com/vinoir/vinoir/serve/internal/tfs"
)

const (
	metricsPath   = "/metrics"
	profilingPath = "/debug/pprof/"
)

// newHandlers makes the handlers of the addresses of REST and of metrics.
func (s *Server) newHandlers(keys *access.Keys) {
	service, limits := s.telemetry.Observe(telemetry.REST), s.options.limits()
	api := apis(tfs.New(tfs.Options{Service: service, Limits: limits}), rest.New(rest.Options{
		Service: service, Limits: limits, RepositoryControl: s.options.Control == ControlExplicit,
	}))
	protect := func(next http.Handler) http.Handler {
		if keys == nil {
			return next
		}
		return keys.Handler(next, func(w http.ResponseWriter, _ *http.Request, err *oip.Error) {
			httpapi.WriteError(w, err)
		})
	}
	operation := map[string]http.Handler{metricsPath: s.telemetry.Metrics()}
	if s.options.Profiling {
		operation[profilingPath] = http.HandlerFunc(profile)
	}
	all := make(map[string]http.Handler)
	open := make(map[string]http.Handler)
	for path, handler := range operation {
		all[path] = handler
	}
	if !s.options.NoPage {
		for path, handler := range page.New(page.Options{
			Service: s.models, Recent: s.telemetry.Recent, Addresses: s.addressTexts,
		}) {
			if path == page.DataPath {
				all[path] = handler
			} else {
				open[path] = handler // what it is made of says nothing about this server
			}
		}
	}
	s.handler = s.telemetry.HTTP(choose(open, protect(choose(all, api))))
	s.metrics = protect(choose(operation, api))
}

// apis returns a handler that leaves the paths below /v1 to TensorFlow Serving's protocol, and
// others to the Open Inference Protocol.
func apis(tfs, rest http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/") {
			tfs.ServeHTTP(w, r)
			return
		}
		rest.ServeHTTP(w, r)
	})
}

// choose returns a handler that answers requests for the paths of pages, and leaves the others to
// next. It is not an http.ServeMux, which would redirect paths that are not clean.
func choose(pages map[string]http.Handler, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			path := r.URL.Path
			if strings.HasPrefix(path, profilingPath) && pages[path] == nil {
				path = profilingPath // which chooses by the name behind it
			}
			if handler := pages[path]; handler != nil {
				handler.ServeHTTP(w, r)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) addressTexts() map[string]string {
	texts := make(map[string]string)
	for name, address := range s.Addresses() {
		texts[name] = address.String()
	}
	return texts
}

// isGRPC reports whether r is a call of gRPC.
func isGRPC(r *http.Request) bool {
	return r.ProtoMajor == 2 && strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc")
}
