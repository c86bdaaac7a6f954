package models

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vinoir/vinoir/serve/internal/oip"
	"github.com/vinoir/vinoir/serve/internal/repository"
)

// Load implements oip.Service.
func (s *Server) Load(ctx context.Context, name string, options oip.LoadOptions) error {
	ctx, stop, err := s.beginChange(ctx)
	if err != nil {
		return err
	}
	defer stop()
	found, err := s.toLoad(name, options)
	if err != nil {
		return err
	}
	if err := s.update(ctx, &found, nil); err != nil {
		if ctx.Err() != nil {
			return oip.Errorf(oip.Canceled, "loading model %q was cancelled", cut(name))
		}
		return oip.Errorf(oip.Malformed, "model %q cannot be loaded: %v", cut(name), err)
	}
	return nil
}

// beginChange returns a context for a change by a call: it is done when ctx is, or when the server
// is closed.
func (s *Server) beginChange(ctx context.Context) (context.Context, func(), error) {
	if s.options.Control != ControlExplicit {
		return nil, nil, oip.Errorf(oip.Unavailable,
			"models cannot be loaded or unloaded by calls: the control of the repository is %q, not explicit", s.options.Control)
	}
	select {
	case <-s.started:
	case <-ctx.Done():
		return nil, nil, oip.Errorf(oip.Canceled, "the request was cancelled")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, nil, oip.Errorf(oip.Unavailable, "the server is being closed")
	}
	s.work.Add(1)
	ctx, cancel := context.WithCancel(ctx)
	unlink := context.AfterFunc(s.life, cancel)
	return ctx, func() {
		unlink()
		cancel()
		s.work.Done()
	}, nil
}

// toLoad returns the model that a call names, from the repository or from the files of the call.
func (s *Server) toLoad(name string, options oip.LoadOptions) (repository.Model, error) {
	if options.Files != nil {
		if !isName(name) {
			return repository.Model{}, oip.Errorf(oip.Malformed, "%q cannot be the name of a model", cut(name))
		}
		return repository.FindModel(repository.Folder{FS: options.Files}, name, options.Config), nil
	}
	found, err := s.find()
	if err != nil {
		return repository.Model{}, oip.Errorf(oip.Malformed, "the models cannot be looked for: %v", err)
	}
	i := slices.IndexFunc(found, func(m repository.Model) bool { return m.Name == name })
	if i < 0 {
		return repository.Model{}, unknownModel(name)
	}
	if options.Config != nil {
		return found[i].WithConfig(options.Config), nil
	}
	return found[i], nil
}

// isName reports whether a model that comes with a call can have the given name.
func isName(name string) bool {
	const most = 255
	return name != "" && len(name) <= most && name[0] != '.' && utf8.ValidString(name) &&
		!strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == '/' || r == '\\' || r == 0x7f })
}

// Unload implements oip.Service.
func (s *Server) Unload(ctx context.Context, name string) error {
	ctx, stop, err := s.beginChange(ctx)
	if err != nil {
		return err
	}
	defer stop()
	s.mu.RLock()
	m := s.models[name]
	s.mu.RUnlock()
	if m == nil {
		return unknownModel(name)
	}
	release, err := m.lock(ctx)
	if err != nil {
		return oip.Errorf(oip.Canceled, "unloading model %q was cancelled", cut(name))
	}
	defer release()
	s.mu.Lock()
	m.unloaded = true
	var ended []*version
	for _, place := range m.versions {
		place.tried = attempt{}
		place.reason = "unloaded"
		if place.live != nil {
			ended = append(ended, place.live)
			place.state = oip.StateUnloading
		}
		place.live = nil
	}
	s.mu.Unlock()
	for _, v := range ended {
		v.release()
	}
	s.log.Info("a model was unloaded", "model", name)
	return nil
}

// lock takes the right to change the versions of m. release gives it back.
func (m *model) lock(ctx context.Context) (release func(), err error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	select {
	case m.change <- struct{}{}:
		return func() { <-m.change }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
