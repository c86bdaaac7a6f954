package irxml

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// WriteFile writes m to path and its Constants to the .bin beside it, as ReadFile finds it. Both
// files are written under other names, to the disk, and then renamed. Whoever reads path finds the
// old model, the new one or, for a moment, none: never a document with the .bin of another. If
// there is an error, the old files are as they were.
//
// The files may be those that m was read from, also if the .bin is mapped. Existing files must be
// regular files. They keep their modes.
//
// # Errors
//
// Errors are those of Write, and of the system.
func WriteFile(ctx context.Context, path string, m *ir.Model, opts WriteOptions) error {
	bin := binPath(path, filepath.Base(path))
	if bin == path {
		return faults.Errorf("%s: the weights would have the name of the document: name it .xml", path)
	}
	files := fileSet{{path: bin}, {path: path}}
	if err := files.write(ctx, m, opts); err != nil {
		files.remove()
		return faults.Errorf("%s: %w", path, err)
	}
	return nil
}

// newFile is a file that is written beside path and then renamed.
type newFile struct {
	path string
	file *os.File // nil unless it is open
	temp string   // its name until then; "" if it is not there
	old  string   // the name that an old file at path has meanwhile; "" if there is none
}

// fileSet is the .bin and the document, which are replaced together.
type fileSet [2]newFile

// write writes the files and replaces the old ones.
func (s *fileSet) write(ctx context.Context, m *ir.Model, opts WriteOptions) error {
	for i := range s {
		if err := s[i].create(); err != nil {
			return err
		}
	}
	// The writer collects text itself; small Constants are collected here.
	bin := bufio.NewWriterSize(s[0].file, 1<<18)
	if err := Write(ctx, s[1].file, bin, m, opts); err != nil {
		return err
	}
	if err := bin.Flush(); err != nil {
		return err
	}
	for i := range s {
		if err := s[i].finish(); err != nil {
			return err
		}
	}
	return s.replace()
}

// create opens a file of a new name in the folder of the path. It has the mode of the file at path,
// if there is one.
func (f *newFile) create() error {
	info, err := os.Lstat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return faults.Errorf("%s: only regular files are replaced, this is %v", f.path, info.Mode())
	}
	temp := otherName(f.path)
	if f.file, err = os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
		// The name of the file that was asked for says more than a name that nobody has chosen.
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			err = &fs.PathError{Op: "create", Path: f.path, Err: at.Err}
		}
		return err
	}
	f.temp = temp
	if info != nil {
		return f.file.Chmod(info.Mode().Perm())
	}
	return nil
}

// otherName returns a name in the folder of path that no file has. A suffix could make the name too
// long.
func otherName(path string) string {
	return filepath.Join(filepath.Dir(path), fmt.Sprintf(".vinoir-%016x.tmp", rand.Uint64()))
}

// finish writes the file to the disk and closes it.
func (f *newFile) finish() error {
	err := f.file.Sync()
	if closed := f.file.Close(); err == nil {
		err = closed
	}
	f.file = nil
	return err
}

// replace renames the files. The old document goes first and the new one comes last, so that no
// document has the .bin of another. If that fails, the old files come back.
func (s *fileSet) replace() (err error) {
	defer func() {
		if err != nil {
			s.restore()
		}
	}()
	for i := len(s) - 1; i >= 0; i-- {
		old := otherName(s[i].path)
		switch err := os.Rename(s[i].path, old); {
		case err == nil:
			s[i].old = old
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	for i := range s {
		if err := os.Rename(s[i].temp, s[i].path); err != nil {
			return err
		}
		s[i].temp = ""
	}
	for i := range s {
		if s[i].old != "" {
			// The new model is whole. An old file that cannot be removed does no harm.
			_ = os.Remove(s[i].old)
		}
	}
	syncFolder(filepath.Dir(s[1].path))
	return nil
}

// restore gives the old files their names back, after an error in replace.
func (s *fileSet) restore() {
	for i := range s {
		if s[i].temp == "" {
			_ = os.Remove(s[i].path)
		}
		if s[i].old != "" {
			_ = os.Rename(s[i].old, s[i].path)
		}
	}
}

// remove removes the new files, after an error.
func (s *fileSet) remove() {
	for i := range s {
		if s[i].file != nil {
			_ = s[i].file.Close()
		}
		if s[i].temp != "" {
			_ = os.Remove(s[i].temp)
		}
	}
}

// syncFolder writes the names in a folder to the disk, if the system can do that. Without it, the
// files are whole, but may be the old ones after a power failure.
func syncFolder(path string) {
	if folder, err := os.Open(path); err == nil {
		_ = folder.Sync()
		_ = folder.Close()
	}
}
