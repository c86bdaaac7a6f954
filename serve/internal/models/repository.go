package models

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/vinoir/vinoir/serve/internal/oip"
	"github.com/vinoir/vinoir/serve/internal/repository"
)

// find returns the models that there should be, sorted by name.
func (s *Server) find() ([]repository.Model, error) {
	var found []repository.Model
	if s.options.Repository != "" {
		models, err := repository.Find(s.options.Repository)
		if err != nil {
			return nil, err
		}
		found = append(found, models...)
	}
	if s.options.ConfigFile != "" {
		models, warnings, err := repository.ReadList(s.options.ConfigFile)
		if err != nil {
			return nil, err
		}
		s.warn(warnings)
		found = append(found, models...)
	}
	for _, m := range s.options.Models {
		model, err := findNamed(m)
		if err != nil && s.options.Control == ControlPoll && m.Name != "" {
			model, err = repository.Model{Name: m.Name, Err: err}, nil // it can come
		}
		if err != nil {
			return nil, fmt.Errorf("model %q: %w", m.Name, err)
		}
		found = append(found, model)
	}
	if found == nil {
		return nil, errors.New("nothing to serve: neither a repository nor a model is given")
	}
	slices.SortStableFunc(found, func(a, b repository.Model) int { return strings.Compare(a.Name, b.Name) })
	for i := range found[1:] {
		if found[i].Name == found[i+1].Name {
			return nil, fmt.Errorf("two models are called %q: %s and %s", found[i].Name, found[i].Folder, found[i+1].Folder)
		}
	}
	return found, nil
}

// warn logs warnings about the list of models, unless they are those of the last time.
func (s *Server) warn(warnings []string) {
	s.mu.Lock()
	known := slices.Equal(s.warnings, warnings)
	s.warnings = warnings
	s.mu.Unlock()
	if known {
		return
	}
	for _, warning := range warnings {
		s.log.Warn("configuration", "file", s.options.ConfigFile, "warning", warning)
	}
}

// findNamed returns a model that the options name.
func findNamed(m Model) (repository.Model, error) {
	if m.Name == "" {
		return repository.Model{}, errors.New("it has no name")
	}
	if m.FS == nil {
		return repository.FindOne(m.Path, m.Name, m.Config)
	}
	folder, err := repository.Folder{FS: m.FS}.Sub(path.Clean(cmp.Or(m.Path, ".")))
	if err != nil {
		return repository.Model{}, err
	}
	return repository.FindModel(folder, m.Name, m.Config), nil
}

// start loads the models that were found, and says that the server has started. problem is why it
// is not known yet which models there should be.
func (s *Server) start(found []repository.Model, problem error) {
	s.mu.Lock()
	for _, m := range found {
		s.entry(m.Name).expected = true
	}
	s.mu.Unlock()
	err := errors.Join(problem, s.updateAll(found, atOnce))
	s.mu.Lock()
	s.startErr, s.complete = err, problem == nil
	s.mu.Unlock()
	close(s.started)
}

// settled says whether a version whose files are new can be loaded, or whether it must be waited
// until they do not change any more. nil means that all versions are loaded, new or not.
type settled func(model string, number int64, files attempt) bool

// atOnce loads versions that are new.
func atOnce(string, int64, attempt) bool { return true }

// errUnsettled is the reason of a version whose files may be half copied.
var errUnsettled = errors.New("its files are still changing")

// updateAll brings all models up to date. The errors name the models.
func (s *Server) updateAll(found []repository.Model, when settled) error {
	errs := make([]error, len(found))
	var all sync.WaitGroup
	for i := range found {
		all.Go(func() {
			if err := s.update(s.life, &found[i], when); err != nil {
				errs[i] = fmt.Errorf("model %q: %w", found[i].Name, err)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// update brings a model up to date with what was found: versions that are new or have changed are
// loaded, and if all are ready, those that are not selected any more are taken away. The error says
// which versions are not ready; what was served before still is.
func (s *Server) update(ctx context.Context, found *repository.Model, when settled) error {
	s.mu.Lock()
	m := s.entry(found.Name)
	s.mu.Unlock()
	release, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	if found.Err != nil {
		s.mu.Lock()
		known := m.reason == found.Err.Error()
		m.reason = found.Err.Error()
		s.mu.Unlock()
		if !known {
			s.log.Error("a model cannot be served", "model", found.Name, "error", found.Err)
		}
		return found.Err
	}
	errs := make([]error, len(found.Versions))
	var all sync.WaitGroup
	for i := range found.Versions {
		all.Go(func() { errs[i] = s.updateVersion(ctx, m, found, &found.Versions[i], when) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	s.mu.Lock()
	m.reason = ""
	s.mu.Unlock()
	s.removeOthers(m, found.Versions)
	return nil
}

// entry returns the model of a name, which is made if the server does not know it. The caller holds
// s.mu.
func (s *Server) entry(name string) *model {
	m := s.models[name]
	if m == nil {
		m = &model{name: name, change: make(chan struct{}, 1), versions: make(map[int64]*slot)}
		s.models[name] = m
	}
	return m
}

// updateVersion loads a version if it is new or has changed. The caller has the right to change m.
func (s *Server) updateVersion(ctx context.Context, m *model, found *repository.Model, on *repository.Version, when settled) error {
	now := attempt{files: on.Files, settings: found.Settings}
	place, err := s.begin(m, on, now, when)
	if place == nil || err != nil {
		return err
	}
	for _, warning := range found.Warnings {
		s.log.Warn("configuration", "model", m.name, "warning", warning)
	}
	loaded, err := s.load(ctx, found, on, place)
	if err != nil {
		err = fmt.Errorf("version %d: %w", on.Number, err)
		s.mu.Lock()
		if ctx.Err() == nil {
			place.tried = now
		}
		place.reason = err.Error()
		if place.live == nil {
			place.state = oip.StateUnavailable
		}
		s.mu.Unlock()
		s.log.Error("a version cannot be served", "model", m.name, "version", on.Number, "error", err)
		return err
	}
	s.mu.Lock()
	old := place.live
	place.live, place.state, place.reason, place.tried = loaded, oip.StateReady, "", now
	m.unloaded = false
	s.mu.Unlock()
	if old != nil {
		old.release()
	}
	s.log.Info("a version is ready", "model", m.name, "version", on.Number, "seconds", loaded.loadTime.Seconds())
	return nil
}

// begin returns the place of a version that is to be loaded; nil if that is not needed. The error
// says why the version is not ready and is not to be loaded now.
func (s *Server) begin(m *model, on *repository.Version, now attempt, when settled) (*slot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	place := m.versions[on.Number]
	if place == nil {
		place = &slot{number: on.Number, counted: newStatistics(m.name, on.Name())}
		m.versions[on.Number] = place
	} else if when != nil && place.tried.equal(now) {
		if place.reason != "" {
			return nil, errors.New(place.reason)
		}
		return nil, nil
	}
	ready := when == nil || when(m.name, on.Number, now)
	if place.live == nil {
		place.state, place.reason = oip.StateLoading, ""
		if !ready {
			place.reason = errUnsettled.Error()
		}
	}
	if !ready {
		return nil, fmt.Errorf("version %d: %w", on.Number, errUnsettled)
	}
	return place, nil
}

// removeOthers takes the versions of m away that are not in selected.
func (s *Server) removeOthers(m *model, selected []repository.Version) {
	s.mu.Lock()
	var ended []*version
	for number, place := range m.versions {
		if slices.ContainsFunc(selected, func(v repository.Version) bool { return v.Number == number }) {
			continue
		}
		delete(m.versions, number)
		if place.live != nil {
			ended = append(ended, place.live)
		}
	}
	s.mu.Unlock()
	for _, v := range ended {
		v.release()
		s.log.Info("a version was taken away", "model", m.name, "version", v.number)
	}
}

// removeAll takes all versions of all models away, and waits until their requests have ended or ctx
// is done.
func (s *Server) removeAll(ctx context.Context) {
	s.mu.Lock()
	var versions []*version
	for _, m := range s.models {
		for _, place := range m.versions {
			place.reason = "the server is being closed"
			if place.live != nil {
				versions = append(versions, place.live)
			}
			place.live, place.state = nil, oip.StateUnavailable
		}
	}
	s.mu.Unlock()
	for _, v := range versions {
		_ = v.queue.Close(ctx) // the error is that of ctx, which the caller returns
		v.release()
	}
}
