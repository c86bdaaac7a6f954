package access

import (
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// checkInterval is how long what was read from files is used before they are looked at again.
const checkInterval = time.Second

// reloaded is a value that is made from files, and made again when one of them has changed. It
// looks at the files when it is used, so that nothing runs meanwhile.
type reloaded[T any] struct {
	paths []string
	load  func() (*T, error)
	log   *slog.Logger

	value atomic.Pointer[T]
	// next is when to look at the files again, as Unix time in nanoseconds.
	next  atomic.Int64
	mutex sync.Mutex
	// seen are the files as they were when load was last called; nil for those that did not exist.
	seen []fs.FileInfo
}

// newReloaded calls load for the first time.
func newReloaded[T any](paths []string, load func() (*T, error), log *slog.Logger) (*reloaded[T], error) {
	r := &reloaded[T]{paths: paths, load: load, log: log, seen: statFiles(paths)}
	value, err := load()
	if err != nil {
		return nil, err
	}
	r.value.Store(value)
	r.next.Store(time.Now().Add(checkInterval).UnixNano())
	return r, nil
}

// get returns the value. If files have changed into something that cannot be used, the value stays
// what it was, and the log says so.
func (r *reloaded[T]) get() *T {
	if now := time.Now(); now.UnixNano() >= r.next.Load() && r.mutex.TryLock() {
		r.check(now)
		r.mutex.Unlock()
	}
	return r.value.Load()
}

// check makes the value again if files have changed. r.mutex must be held.
func (r *reloaded[T]) check(now time.Time) {
	r.next.Store(now.Add(checkInterval).UnixNano())
	found := statFiles(r.paths)
	if sameFiles(found, r.seen) {
		return
	}
	r.seen = found
	value, err := r.load()
	if err != nil {
		r.log.Error("files that changed cannot be used, the old ones stay in use", "files", r.paths, "error", err)
		return
	}
	r.value.Store(value)
	r.log.Info("files that changed are in use", "files", r.paths)
}

// statFiles returns what paths are, behind symbolic links.
func statFiles(paths []string) []fs.FileInfo {
	infos := make([]fs.FileInfo, len(paths))
	for i, path := range paths {
		if info, err := os.Stat(path); err == nil {
			infos[i] = info
		}
	}
	return infos
}

// sameFiles says whether nothing has changed between a and b.
func sameFiles(a, b []fs.FileInfo) bool {
	for i := range a {
		if (a[i] == nil) != (b[i] == nil) {
			return false
		}
		if a[i] == nil {
			continue
		}
		if !os.SameFile(a[i], b[i]) || a[i].Size() != b[i].Size() || !a[i].ModTime().Equal(b[i].ModTime()) {
			return false
		}
	}
	return true
}
