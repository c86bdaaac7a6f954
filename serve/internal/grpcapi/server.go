package grpcapi

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	_ "google.golang.org/grpc/encoding/gzip" // what clients can compress by
	"google.golang.org/grpc/experimental"
	health "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"

	"github.com/vinoir/vinoir/serve/internal/access"
	"github.com/vinoir/vinoir/serve/internal/buffers"
	"github.com/vinoir/vinoir/serve/internal/oip"
	"github.com/vinoir/vinoir/serve/internal/pace"
)

// Options of a Server. Only Service is needed.
type Options struct {
	Service oip.Service
	Limits  oip.Limits
	// Keys are the keys that calls need; nil allows all.
	Keys *access.Keys
	// Credentials are those of connections that Serve accepts; nil means no TLS.
	Credentials credentials.TransportCredentials
	// MaxConnectionAge is how long a connection lasts before its client is told to make a new one,
	// which a load balancer can send elsewhere. 0 means for ever.
	MaxConnectionAge time.Duration
	// MaxStreams is how many calls a connection can have at the same time. 0 means 1024.
	MaxStreams uint32
	// StreamConcurrency is how many requests of one ModelStreamInfer are answered at the same time;
	// further ones wait in the connection. 0 means 64.
	StreamConcurrency int
	// Pool is memory for messages, which several servers can share; nil means one of its own.
	Pool *buffers.Pool
	// ServerOptions are added to those of grpc, for interceptors and statistics.
	ServerOptions []grpc.ServerOption
}

// What clients and connections may do.
const (
	// pingInterval is how often a client may ping, also without a call. grpc's own minimum of five
	// minutes ends the connections of clients that are set as Triton's documentation says.
	pingInterval = 10 * time.Second
	// A connection that says nothing for keepaliveTime is asked whether it is still there.
	keepaliveTime    = 2 * time.Minute
	keepaliveTimeout = 20 * time.Second
	// connectionTimeout is how long TLS and the first bytes of HTTP/2 may take.
	connectionTimeout = 20 * time.Second
	// ageGrace is how long the calls of a connection of MaxConnectionAge may still take.
	ageGrace = 5 * time.Minute
	// maxHeaderBytes bounds the headers of a call.
	maxHeaderBytes = 64 << 10
	// windowBytes is what a client can send before the server says that it may go on, for a call
	// and for a connection.
	windowBytes = 1 << 20
	// socketBytes is the size of the buffers between HTTP/2 and a connection.
	socketBytes = 128 << 10
)

// Server answers gRPC.
type Server struct {
	server *grpc.Server
	keys   *access.Keys
	links  *links
	// ending is closed by end when streams have to end.
	ending chan struct{}
	end    func()
}

// New returns a server that serves nothing yet.
func New(o Options) *Server {
	limits := o.Limits.WithDefaults()
	if o.Pool == nil {
		o.Pool = new(buffers.Pool)
	}
	if o.MaxStreams == 0 {
		o.MaxStreams = 1024
	}
	if o.StreamConcurrency == 0 {
		o.StreamConcurrency = 64
	}
	s := &Server{keys: o.Keys, links: newLinks(), ending: make(chan struct{})}
	s.end = sync.OnceFunc(func() { close(s.ending) })

	options := []grpc.ServerOption{
		grpc.ForceServerCodecV2(newCodec(limits, o.Pool)),
		experimental.BufferPool(o.Pool),
		//lint:ignore SA1019 encoding.RegisterCompressor, its successor, changes the whole program.
		grpc.RPCDecompressor(deflate{limit: limits.MaxBodyBytes}),
		grpc.MaxRecvMsgSize(int(limits.MaxBodyBytes)),
		grpc.MaxConcurrentStreams(o.MaxStreams),
		grpc.MaxHeaderListSize(maxHeaderBytes),
		grpc.ConnectionTimeout(connectionTimeout),
		grpc.InitialWindowSize(windowBytes),
		grpc.InitialConnWindowSize(windowBytes),
		grpc.ReadBufferSize(socketBytes),
		grpc.WriteBufferSize(socketBytes),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: pingInterval, PermitWithoutStream: true}),
		grpc.KeepaliveParams(keepalive.ServerParameters{
			MaxConnectionAge: o.MaxConnectionAge, MaxConnectionAgeGrace: ageGrace,
			Time: keepaliveTime, Timeout: keepaliveTimeout,
		}),
		grpc.InTapHandle(s.tap),
	}
	if o.Credentials != nil {
		options = append(options, grpc.Creds(o.Credentials))
	}
	s.server = grpc.NewServer(append(options, o.ServerOptions...)...)
	s.server.RegisterService(description(), &service{
		models: o.Service, links: s.links, concurrency: o.StreamConcurrency, ending: s.ending,
	})
	health.RegisterHealthServer(s.server, &healthServer{models: o.Service, ending: s.ending})
	registerReflection(s.server, s.ending)
	return s
}

// Serve answers the connections of listener until Shutdown, and then returns nil. Those that are
// waited for too long are closed.
func (s *Server) Serve(listener net.Listener) error {
	done := make(chan struct{})
	defer close(done)
	go s.links.watch(done)
	return s.server.Serve(s.links.listen(listener))
}

// ServeHTTP answers a call that came by an http.Server, which shares its port: the handler of that
// server should be one of package pace. It costs more than Serve.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := s.authorize(r.URL.Path, r.Header.Get("Authorization")); err != nil {
		writeStatus(w, r, err)
		return
	}
	if method, ours := strings.CutPrefix(r.URL.Path, "/"+ServiceName+"/"); ours && method != streamMethod {
		r = pace.Options{}.Body(w, r)
	}
	s.server.ServeHTTP(w, r)
}

// Shutdown accepts no more connections and calls, ends streams when the requests that they have are
// answered, and waits for all calls until ctx is done. Then it ends what is left, and returns the
// error of ctx. It does not wait for calls that came by ServeHTTP: that is for their http.Server,
// after EndStreams.
func (s *Server) Shutdown(ctx context.Context) error {
	s.end()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.server.GracefulStop()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		s.server.Stop()
		<-done
		return ctx.Err()
	}
}

// EndStreams ends the streams of ModelStreamInfer and of health when the requests that they have
// are answered.
func (s *Server) EndStreams() { s.end() }
