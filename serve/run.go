package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// The defaults of Options.
const (
	defaultConnections  = 10_000
	defaultDrainDelay   = 5 * time.Second
	defaultDrainTimeout = 20 * time.Second
)

// closeTimeout is how long closing models and sending the last spans may take.
const closeTimeout = 5 * time.Second

// listener is an address with what answers there.
type listener struct {
	net.Listener // nil before Listen
	name         string
	address      string
	serve        func(net.Listener) error
	// shutdown answers the requests that are there until ctx is done, and then ends them.
	shutdown func(ctx context.Context) error
}

// newListeners returns the listeners of the options.
func (s *Server) newListeners(tlsConfig *tls.Config) []listener {
	var list []listener
	web := func(name, address string, handler http.Handler) {
		if address == "" {
			return
		}
		server := newWebServer(handler, tlsConfig)
		list = append(list, listener{name: name, address: address, serve: server.serve, shutdown: server.shutdown})
	}
	o := &s.options
	web("metrics", o.MetricsAddress, s.metrics)
	if o.SingleAddress != "" {
		web("single", o.SingleAddress, s.Handler())
		return list
	}
	web("rest", o.RESTAddress, s.handler)
	if o.GRPCAddress != "" {
		list = append(list, listener{
			name: "grpc", address: o.GRPCAddress, serve: s.grpc.Serve, shutdown: s.grpc.Shutdown,
		})
	}
	return list
}

// Listen begins to listen, so that Addresses tells the ports. Run does it if it was not done.
func (s *Server) Listen() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.listeners) == 0 {
		return errNoAddress
	}
	for i := range s.listeners {
		l := &s.listeners[i]
		if l.Listener != nil {
			continue
		}
		opened, err := net.Listen("tcp", l.address)
		if err != nil {
			s.closeListeners()
			return fmt.Errorf("%s: %w", l.name, err)
		}
		l.Listener = limitListener(opened, s.options.MaxConnections)
	}
	return nil
}

// closeListeners closes those that are open.
func (s *Server) closeListeners() {
	for i := range s.listeners {
		if l := &s.listeners[i]; l.Listener != nil {
			_ = l.Close()
			l.Listener = nil
		}
	}
}

// Run answers requests until ctx is done, and then drains the server: it is not ready any more but
// answers for DrainDelay, then takes no more connections, and answers the requests that it has for
// up to DrainTimeout. It returns nil if all were answered. Afterwards the server is closed.
func (s *Server) Run(ctx context.Context) error {
	log := s.options.Logger
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		if err := s.Close(closing); err != nil {
			log.Error("the server is not closed", "error", err.Error())
		}
	}()
	if err := s.Listen(); err != nil {
		return err
	}
	started := time.Now()
	for name, address := range s.Addresses() {
		log.Info("listening", "for", name, "address", address.String())
	}
	failed := make(chan error, len(s.listeners))
	var serving sync.WaitGroup
	for _, l := range s.listeners {
		serving.Go(func() {
			if err := l.serve(l.Listener); err != nil {
				failed <- fmt.Errorf("%s: %w", l.name, err)
			}
		})
	}
	go func() {
		switch err := s.models.WaitStarted(ctx); {
		case ctx.Err() != nil:
		case err != nil:
			log.Error("not all models are loaded", "error", err.Error())
		default:
			log.Info("ready", "seconds", time.Since(started).Seconds())
		}
	}()
	var err error
	select {
	case <-ctx.Done():
		err = s.drain(context.WithoutCancel(ctx))
	case err = <-failed:
		s.models.Drain()
		err = errors.Join(err, s.shutdown(context.WithoutCancel(ctx)))
	}
	serving.Wait()
	return err
}

// drain says that the server is not ready, goes on for a while, and ends.
func (s *Server) drain(ctx context.Context) error {
	s.options.Logger.Info("draining", "delay", s.options.DrainDelay.String(), "timeout", s.options.DrainTimeout.String())
	s.models.Drain()
	if s.options.DrainDelay > 0 {
		time.Sleep(s.options.DrainDelay)
	}
	err := s.shutdown(ctx)
	if err != nil {
		return fmt.Errorf("requests were ended that took longer than %v: %w", s.options.DrainTimeout, err)
	}
	s.options.Logger.Info("all requests are answered")
	return nil
}

// shutdown ends all listeners at the same time.
func (s *Server) shutdown(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, max(s.options.DrainTimeout, 0))
	defer cancel()
	s.grpc.EndStreams()
	errs := make([]error, len(s.listeners))
	var group sync.WaitGroup
	for i, l := range s.listeners {
		group.Go(func() { errs[i] = l.shutdown(ctx) })
	}
	group.Wait()
	return errors.Join(errs...)
}
