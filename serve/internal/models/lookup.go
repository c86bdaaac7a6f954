package models

import (
	"maps"
	"slices"
	"strconv"

	"github.com/vinoir/vinoir/serve/internal/oip"
	"github.com/vinoir/vinoir/serve/internal/repository"
)

// model is a model that the server knows. Server.mu guards it.
type model struct {
	name string
	// change holds the right to load and unload the versions.
	change   chan struct{}
	versions map[int64]*slot
	// expected says that the model was there at the start: the server is not ready without it.
	expected bool
	// unloaded says that the model was taken away by a call, and may not be there.
	unloaded bool
	// reason says why there are no versions.
	reason string
}

// slot is the place of a version: what is served now, and what has become of the files on the disk.
// Server.mu guards it.
type slot struct {
	number int64
	state  oip.State
	reason string
	// live is what requests are given to; nil if there is nothing.
	live *version
	// tried are the files that were loaded, or tried to load, last, with their configuration.
	tried attempt
	// counted is kept when the version is loaded again.
	counted *statistics
}

// attempt is what a version was loaded from.
type attempt struct {
	files    repository.Snapshot
	settings repository.Snapshot
}

func (a attempt) equal(b attempt) bool { return a.files.Equal(b.files) && a.settings.Equal(b.settings) }

func (s *slot) name() string { return strconv.FormatInt(s.number, 10) }

// sorted returns the slots by number.
func (m *model) sorted() []*slot {
	slots := make([]*slot, 0, len(m.versions))
	for _, n := range slices.Sorted(maps.Keys(m.versions)) {
		slots = append(slots, m.versions[n])
	}
	return slots
}

// latest returns the slot with the highest number that is ready; nil if there is none.
func (m *model) latest() *slot {
	var latest *slot
	for _, slot := range m.versions {
		if slot.live != nil && (latest == nil || slot.number > latest.number) {
			latest = slot
		}
	}
	return latest
}

// slot returns the slot of a version of a model; an empty version is the latest one. The error has
// the code NotFound if there is no such model or version, and Unavailable if it is not ready. The
// caller holds s.mu.
func (s *Server) slot(name, version string) (*slot, error) {
	m := s.models[name]
	if m == nil {
		return nil, unknownModel(name)
	}
	if m.unloaded {
		return nil, oip.Errorf(oip.NotFound, "model %q is unloaded", name)
	}
	if version == "" {
		if slot := m.latest(); slot != nil {
			return slot, nil
		}
		return nil, oip.Errorf(oip.Unavailable, "model %q has no version that is ready", name)
	}
	number, err := strconv.ParseInt(version, 10, 64)
	slot := m.versions[number]
	if err != nil || slot == nil || slot.name() != version {
		return nil, oip.Errorf(oip.NotFound, "model %q has no version %q", name, cut(version))
	}
	if slot.live == nil {
		return slot, oip.Errorf(oip.Unavailable, "version %s of model %q is not ready", version, name)
	}
	return slot, nil
}

// unknownModel returns the error for a model that the server does not know.
func unknownModel(name string) error { return oip.Errorf(oip.NotFound, "no model %q", cut(name)) }

// cut shortens what a client has sent, for messages.
func cut(text string) string {
	const most = 100
	if len(text) <= most {
		return text
	}
	return text[:most] + "..."
}

// acquire returns a version that is ready. The caller releases it.
func (s *Server) acquire(name, number string) (*version, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	slot, err := s.slot(name, number)
	if err != nil {
		return nil, err
	}
	slot.live.uses.Add(1)
	return slot.live, nil
}

// ModelReady implements oip.Service.
func (s *Server) ModelReady(name, version string) (bool, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, err := s.slot(name, version)
	if e, ok := err.(*oip.Error); ok && e.Code == oip.NotFound {
		return false, err
	}
	return err == nil && !s.draining.Load(), nil
}
