// Package serve serves OpenVINO IR and ONNX models by the Open Inference Protocol V2, over REST and
// gRPC: what the command vinoir-serve does, for programs that have a server in themselves.
//
//	server, err := serve.New(ctx, serve.Options{Repository: "models", RESTAddress: "127.0.0.1:8080"})
//	err = server.Run(ctx) // until ctx is done and all requests are answered
package serve

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/vinoir/vinoir"
	"github.com/vinoir/vinoir/plugin"
	"github.com/vinoir/vinoir/serve/internal/grpcapi"
	"github.com/vinoir/vinoir/serve/internal/models"
	"github.com/vinoir/vinoir/serve/internal/oip"
	"github.com/vinoir/vinoir/serve/internal/telemetry"
	"github.com/vinoir/vinoir/serve/internal/trace"
)

// Server serves models. New makes one; Run, or Handler and Close, use it.
type Server struct {
	options   Options
	models    *models.Server
	telemetry *telemetry.Telemetry
	tracer    *trace.Tracer
	grpc      *grpcapi.Server
	handler   http.Handler // of REST, the page and metrics
	metrics   http.Handler

	mu        sync.Mutex // guards listeners
	listeners []listener
}

// New returns a server that has begun to load its models. What is wrong with one of them is logged,
// and said by the index of the protocols; it is an error if there is nothing to serve, or if a file
// of the options cannot be used. Once ctx is done, loading stops.
func New(ctx context.Context, options Options) (*Server, error) {
	options = options.withDefaults()
	s := &Server{options: options}
	tlsConfig, keys, err := options.access()
	if err != nil {
		return nil, err
	}
	s.tracer, err = trace.FromEnvironment(options.Environment, []trace.Attribute{
		{Key: "service.name", Value: options.Name}, {Key: "service.version", Value: options.Version},
	}, options.Logger)
	if err != nil {
		return nil, err
	}
	s.models, err = models.New(ctx, options.models())
	if err != nil {
		_ = s.tracer.Close(ctx)
		return nil, err
	}
	s.telemetry = telemetry.New(telemetry.Options{
		Service: s.models, OVMS: options.OVMSMetrics, Tracer: s.tracer, Logger: options.Logger,
	})
	s.newHandlers(keys)
	grpcOptions := grpcapi.Options{
		Service: s.telemetry.Observe(telemetry.GRPC), Limits: options.limits(), Keys: keys,
		MaxConnectionAge: options.MaxConnectionAge,
		ServerOptions: []grpc.ServerOption{
			grpc.UnaryInterceptor(s.telemetry.Unary), grpc.StreamInterceptor(s.telemetry.Stream),
		},
	}
	if tlsConfig != nil {
		grpcOptions.Credentials = credentials.NewTLS(tlsConfig)
	}
	s.grpc = grpcapi.New(grpcOptions)
	s.listeners = s.newListeners(tlsConfig)
	return s, nil
}

// WaitStarted waits until all models were tried to load, and returns what was wrong with any of
// them, or the error of ctx.
func (s *Server) WaitStarted(ctx context.Context) error { return s.models.WaitStarted(ctx) }

// Ready reports whether all models that should be there are loaded, and the server does not drain.
func (s *Server) Ready() bool { return s.models.Ready() }

// Handler answers REST, the status page, metrics and, by content type, gRPC, for a program with an
// http.Server of its own. For gRPC, that server must speak HTTP/2. It is not needed with Run.
func (s *Server) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isGRPC(r) {
			s.grpc.ServeHTTP(w, r)
			return
		}
		s.handler.ServeHTTP(w, r)
	})
}

// Close ends a server that does not run: requests fail, and all models are closed. It returns when
// that has ended, or with the error of ctx. Run closes the server itself.
func (s *Server) Close(ctx context.Context) error {
	return errors.Join(s.models.Close(ctx), s.tracer.Close(ctx))
}

// withDefaults returns o with the defaults that are not those of a package below.
func (o Options) withDefaults() Options {
	if o.Name == "" {
		o.Name = "vinoir"
	}
	if o.Version == "" {
		o.Version = moduleVersion()
	}
	if o.MaxConnections == 0 {
		o.MaxConnections = defaultConnections
	}
	if o.DrainDelay == 0 {
		o.DrainDelay = defaultDrainDelay
	}
	if o.DrainTimeout == 0 {
		o.DrainTimeout = defaultDrainTimeout
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Environment == nil {
		o.Environment = func(string) (string, bool) { return "", false }
	}
	return o
}

func (o *Options) limits() oip.Limits { return oip.Limits{MaxBodyBytes: o.MaxBodyBytes} }

// models returns the options of package models.
func (o *Options) models() models.Options {
	list := make([]models.Model, len(o.Models))
	for i, m := range o.Models {
		list[i] = models.Model{Name: m.Name, Path: m.Path, FS: m.FS, Config: m.Config}
	}
	return models.Options{
		Repository: o.Repository, ConfigFile: o.ConfigFile, Models: list,
		Control:      [...]models.Control{models.ControlNone, models.ControlPoll, models.ControlExplicit}[o.Control],
		PollInterval: o.PollInterval,
		Open: vinoir.Options{
			CompileOptions: plugin.CompileOptions{InferenceNumThreads: o.Threads},
		},
		MaxMemoryBytes: o.MaxModelBytes, Instances: o.Instances, MaxBatchSize: o.MaxBatchSize,
		MaxQueueRequests: o.MaxQueueRequests, MaxQueueBytes: o.MaxQueueBytes,
		Timeout: o.RequestTimeout, CacheBytes: o.CacheBytes,
		Server: oip.ServerMetadata{Name: o.Name, Version: o.Version},
		Log:    o.Logger,
		Observe: func(ctx context.Context, t models.Times) {
			if !t.Dequeued.IsZero() && !t.Inferred.IsZero() {
				telemetry.NoteTimes(ctx, telemetry.Times{
					Queued: t.Start, Queue: t.Dequeued.Sub(t.Start), Compute: t.Inferred.Sub(t.Dequeued),
				})
			}
		},
	}
}

// moduleVersion returns the version of this module in the program.
func moduleVersion() string {
	const path = "github.com/vinoir/vinoir/serve"
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel)"
	}
	if build.Main.Path == path {
		return build.Main.Version
	}
	for _, module := range build.Deps {
		if module.Path == path {
			return module.Version
		}
	}
	return "(devel)"
}

// Addresses returns where the server listens, by what it is for: single, rest, grpc and metrics. It
// is empty before Listen.
func (s *Server) Addresses() map[string]net.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	addresses := make(map[string]net.Addr)
	for _, l := range s.listeners {
		if l.Listener != nil {
			addresses[l.name] = l.Addr()
		}
	}
	return addresses
}
