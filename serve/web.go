package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/vinoir/vinoir/serve/internal/pace"
)

// The limits of connections of HTTP.
const (
	headerTimeout  = 10 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 64 << 10
)

// quietTime is how long a connection may be silent at the end before it is closed. A client that
// sends again within it gets its answer, and is told to leave.
const quietTime = time.Second

// webServer is a server of HTTP/1.1 and HTTP/2, also without TLS, that ends without a lost request.
type webServer struct {
	http.Server

	mu       sync.Mutex // guards the fields below
	listener net.Listener
	closing  bool
	open     map[net.Conn]http.ConnState
	// left is closed when closing is set and no connection is open.
	left chan struct{}
}

func newWebServer(handler http.Handler, tlsConfig *tls.Config) *webServer {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	s := &webServer{open: make(map[net.Conn]http.ConnState), left: make(chan struct{})}
	s.Server = http.Server{
		Handler: s.leaving(pace.Handler(handler, pace.Options{})), TLSConfig: tlsConfig,
		Protocols: protocols, ConnState: s.changed,
		ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
	}
	return s
}

// serve answers the connections of l until shutdown, and then returns nil.
func (s *webServer) serve(l net.Listener) error {
	s.mu.Lock()
	s.listener = l
	closing := s.closing
	s.mu.Unlock()
	if closing {
		return l.Close()
	}
	var err error
	if s.TLSConfig != nil {
		err = s.ServeTLS(l, "", "")
	} else {
		err = s.Serve(l)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing && errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// changed follows the states of connections.
func (s *webServer) changed(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case http.StateClosed, http.StateHijacked:
		delete(s.open, c)
	default:
		s.open[c] = state
	}
	s.signal()
}

// signal closes left if it is time. s.mu must be held.
func (s *webServer) signal() {
	if s.closing && len(s.open) == 0 {
		select {
		case <-s.left:
		default:
			close(s.left)
		}
	}
}

// isClosing reports whether shutdown was called.
func (s *webServer) isClosing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closing
}

// leaving asks clients to use another connection when the server ends.
func (s *webServer) leaving(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.isClosing() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// shutdown takes no more connections, answers the requests of those that are there until ctx is
// done, and then ends them.
//
// http.Server.Shutdown alone would lose requests: it closes connections on which a request is on
// its way, and answers none that it reads after it was called. So clients are told to leave first.
func (s *webServer) shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.closing = true
	if s.listener != nil {
		_ = s.listener.Close()
	}
	s.signal()
	s.mu.Unlock()
	select {
	case <-s.left:
	case <-time.After(quietTime):
		s.forgetSilent()
		select {
		case <-s.left:
		case <-ctx.Done():
		}
	case <-ctx.Done():
	}
	err := s.Shutdown(ctx)
	if err != nil {
		_ = s.Close()
	}
	return err
}

// forgetSilent no longer waits for connections without a request.
func (s *webServer) forgetSilent() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c, state := range s.open {
		if state != http.StateActive {
			delete(s.open, c)
		}
	}
	s.signal()
}
