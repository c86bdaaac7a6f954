package models

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/vinoir/vinoir/serve/internal/buffers"
	"github.com/vinoir/vinoir/serve/internal/oip"
	"github.com/vinoir/vinoir/serve/internal/schedule"
)

// Server serves models. It implements oip.Service.
type Server struct {
	options Options
	log     *slog.Logger
	buffers buffers.Pool

	// life ends when the server is closed; work counts the goroutines of the server.
	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup

	draining atomic.Bool
	// started is closed when all models have been tried to load for the first time.
	started chan struct{}
	// loads has a place for each version that is loaded at the same time.
	loads      chan struct{}
	memory     ledger
	cache      *schedule.Cache[*cached]
	generation atomic.Uint64

	mu       sync.RWMutex // guards models and what is in them
	models   map[string]*model
	startErr error // why models were not loaded at the start
	complete bool  // it is known which models there should be
	closed   bool
	warnings []string // about the list of models
}

var _ oip.Service = (*Server)(nil)

// New returns a Server, and begins to load its models. It is an error if there is nothing to serve,
// as with a wrong path, unless models can come later, with ControlPoll. What is wrong with one
// model is said by WaitStarted and by Index. Once ctx is done, loading stops. The caller closes the
// server.
func New(ctx context.Context, options Options) (*Server, error) {
	options = options.withDefaults()
	s := &Server{
		options: options,
		log:     options.Log,
		started: make(chan struct{}),
		loads:   make(chan struct{}, options.LoadsAtOnce),
		memory:  ledger{limit: options.MaxMemoryBytes},
		cache:   schedule.NewCache[*cached](options.CacheBytes),
		models:  make(map[string]*model),
	}
	found, err := s.find()
	if err != nil && options.Control != ControlPoll {
		return nil, err
	}
	s.life, s.end = context.WithCancel(context.WithoutCancel(ctx))
	unlink := context.AfterFunc(ctx, s.end)
	s.work.Go(func() {
		s.start(found, err)
		unlink()
		if options.Control == ControlPoll {
			s.poll()
		}
	})
	return s, nil
}

// WaitStarted waits until all models were tried to load, and returns what was wrong, or the error
// of ctx.
func (s *Server) WaitStarted(ctx context.Context) error {
	select {
	case <-s.started:
		s.mu.RLock()
		defer s.mu.RUnlock()
		return s.startErr
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Drain makes Ready false from now on. Requests are computed as before.
func (s *Server) Drain() { s.draining.Store(true) }

// Close ends the server: new requests and those that wait fail, and when those that run have ended,
// all models are closed. It returns when all that has ended, or with the error of ctx.
func (s *Server) Close(ctx context.Context) error {
	s.Drain()
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.end()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.work.Wait()
		s.removeAll(ctx)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Ready implements oip.Service.
func (s *Server) Ready() bool {
	select {
	case <-s.started:
	default:
		return false
	}
	if s.draining.Load() {
		return false
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if !s.complete {
		return false
	}
	for _, m := range s.models {
		if m.expected && !m.unloaded && m.latest() == nil {
			return false
		}
	}
	return true
}

// Server implements oip.Service.
func (s *Server) Server() oip.ServerMetadata { return s.options.Server }

// Models implements oip.Service.
func (s *Server) Models() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	names := []string{}
	for name, m := range s.models {
		if m.latest() != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Index implements oip.Service.
func (s *Server) Index() []oip.IndexEntry {
	s.mu.RLock()
	defer s.mu.RUnlock()
	entries := []oip.IndexEntry{}
	for _, name := range slices.Sorted(maps.Keys(s.models)) {
		m := s.models[name]
		if len(m.versions) == 0 {
			entries = append(entries, oip.IndexEntry{Name: name, State: oip.StateUnavailable, Reason: m.reason})
		}
		for _, slot := range m.sorted() {
			entries = append(entries, oip.IndexEntry{Name: name, Version: slot.name(), State: slot.state, Reason: slot.reason})
		}
	}
	return entries
}
