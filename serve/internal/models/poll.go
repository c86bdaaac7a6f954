package models

import (
	"slices"
	"time"

	"github.com/vinoir/vinoir/serve/internal/repository"
)

// poll looks for changes on the disk until the server is closed. Notices of the system are not
// enough: network file systems have none, and volumes of Kubernetes swap a link.
func (s *Server) poll() {
	ticker := time.NewTicker(s.options.PollInterval)
	defer ticker.Stop()
	w := watcher{server: s}
	for {
		select {
		case <-s.life.Done():
			return
		case <-ticker.C:
			w.look()
		}
	}
}

// watcher compares what is on the disk with what was there at the last look.
type watcher struct {
	server *Server
	before sightings
	// problem is why nothing could be found at the last look.
	problem string
}

// look finds the models, and brings those up to date that have not changed since the last look.
func (w *watcher) look() {
	s := w.server
	found, err := s.find()
	if err != nil { // a volume that is away for a moment: what is served stays
		if err.Error() != w.problem {
			s.log.Error("the models cannot be looked for", "error", err)
		}
		w.problem = err.Error()
		return
	}
	w.problem = ""
	settled := func(name string, number int64, seen attempt) bool {
		return w.before[sighting{name, number}].equal(seen)
	}
	_ = s.updateAll(found, settled) // errors are in the log and the index
	w.before = sightingsOf(found)
	s.removeMissing(found)
	s.mu.Lock()
	s.complete = true
	s.mu.Unlock()
}

// sightings are the files of all versions at one time. A version is loaded only if it was the same
// at the last look: otherwise its files may be half copied.
type sightings map[sighting]attempt

type sighting struct {
	model  string
	number int64
}

func sightingsOf(found []repository.Model) sightings {
	seen := make(sightings)
	for _, m := range found {
		for _, v := range m.Versions {
			seen[sighting{m.Name, v.Number}] = attempt{files: v.Files, settings: m.Settings}
		}
	}
	return seen
}

// removeMissing takes the models away that are not in found.
func (s *Server) removeMissing(found []repository.Model) {
	s.mu.Lock()
	var missing []*model
	for name, m := range s.models {
		if !slices.ContainsFunc(found, func(f repository.Model) bool { return f.Name == name }) {
			missing = append(missing, m)
		}
	}
	s.mu.Unlock()
	for _, m := range missing {
		s.log.Info("a model is not there any more", "model", m.name)
		s.removeOthers(m, nil)
		s.mu.Lock()
		delete(s.models, m.name)
		s.mu.Unlock()
	}
}
