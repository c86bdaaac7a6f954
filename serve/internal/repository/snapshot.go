package repository

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"time"
)

// Snapshot is the state of the files of a version: two that are equal mean that nothing has
// changed.
type Snapshot []FileState

// FileState is the state of a file.
type FileState struct {
	// Name is the path in the folder.
	Name string
	// Target is where the file is after all links: in a volume of Kubernetes, files are links
	// through a link ..data, which changes when the volume does.
	Target string
	Size   int64
	Time   time.Time
}

// Equal reports whether s and other are the same state.
func (s Snapshot) Equal(other Snapshot) bool {
	return slices.EqualFunc(s, other, func(a, b FileState) bool {
		return a.Name == b.Name && a.Target == b.Target && a.Size == b.Size && a.Time.Equal(b.Time)
	})
}

// Bytes returns the size of the files together.
func (s Snapshot) Bytes() int64 {
	var n int64
	for _, f := range s {
		n += f.Size
	}
	return n
}

// maxFiles bounds the files of a version that are looked at: a version has a handful.
const maxFiles = 10_000

// snapshot returns the state of the files in folder and below it, of which include, if not nil,
// says which belong to the version. Files that cannot be looked at, as they vanish, are left out.
func snapshot(folder Folder, include func(name string) bool) Snapshot {
	var s Snapshot
	s.add(folder, ".", include)
	return s
}

func (s *Snapshot) add(folder Folder, dir string, include func(name string) bool) {
	const deepest = 8 // folders; a link can lead back
	entries, err := folder.entries(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		name := path.Join(dir, e.name)
		switch {
		case len(*s) >= maxFiles:
			return
		case e.isDir:
			if include == nil && depth(name) < deepest {
				s.add(folder, name, nil)
			}
		case include == nil || include(name):
			if info, err := fs.Stat(folder.FS, name); err == nil {
				*s = append(*s, FileState{Name: name, Target: target(folder, name), Size: info.Size(), Time: info.ModTime()})
			}
		}
	}
}

// depth returns the number of folders in a path.
func depth(name string) int {
	n := 1
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		n++
	}
	return n
}

// target returns where a file is after all links; empty if it is not in the system.
func target(folder Folder, name string) string {
	if folder.Path == "" {
		return ""
	}
	resolved, err := filepath.EvalSymlinks(filepath.Join(folder.Path, filepath.FromSlash(name)))
	if err != nil {
		return ""
	}
	return resolved
}
