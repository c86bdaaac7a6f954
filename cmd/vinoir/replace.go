package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/regular"
)

// target is a file that is to be replaced: a regular file in an open folder. Whoever can write to
// the folders above it cannot redirect what happens to it.
type target struct {
	dir  *os.Root // the folder of the file
	name string   // the name in dir
	info fs.FileInfo
	old  []byte // the content

	step func(name string) // if not nil, called before each step of replace; for tests
}

// openTarget opens the file at path, a path in the folder tree, and reads it. Symbolic links lead
// nowhere but to folders in tree: the file itself must not be one. limit is the largest size. The
// caller must close target.dir.
func openTarget(tree, path string, limit int64) (*target, error) {
	root, err := os.OpenRoot(tree)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	dir, err := root.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	t := &target{dir: dir, name: filepath.Base(path)}
	if t.info, t.old, err = t.read(limit); err != nil {
		dir.Close()
		return nil, err
	}
	return t, nil
}

// read reads the file, which must be a regular file of at most limit bytes.
func (t *target) read(limit int64) (fs.FileInfo, []byte, error) {
	info, err := t.dir.Lstat(t.name)
	if err != nil {
		return nil, nil, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return nil, nil, faults.Errorf("%s: a symbolic link: only regular files are written", t.name)
	}
	if !info.Mode().IsRegular() {
		return nil, nil, faults.Errorf("%s: not a regular file (%v)", t.name, info.Mode())
	}
	file, err := t.dir.OpenFile(t.name, os.O_RDONLY|regular.NonBlock, 0)
	if err != nil {
		return nil, nil, err
	}
	opened, err := file.Stat()
	if err == nil && !os.SameFile(info, opened) {
		err = faults.Errorf("%s: the file changed while it was opened", t.name)
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	content, err := regular.Read(file, limit)
	if err != nil {
		return nil, nil, faults.Errorf("%s: %w", t.name, err)
	}
	return opened, content, nil
}

// replace replaces the content of the file atomically: whoever opens it, also after a power
// failure, finds either the old or the new content. It returns an error if the file has changed
// since it was read. The mode is kept, and the owner if the system allows it. Other hard links of
// the file keep the old content.
func (t *target) replace(content []byte) error {
	return t.write(t.info, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	}, t.unchanged)
}

// unchanged returns an error if the file has changed since it was read.
func (t *target) unchanged() error {
	info, now, err := t.read(int64(len(t.old)))
	var long *regular.TooLongError
	if err != nil && !errors.As(err, &long) {
		return err
	}
	if long != nil || !os.SameFile(info, t.info) || !bytes.Equal(now, t.old) {
		return faults.Errorf("%s: the file changed while it was validated: it is not written", t.name)
	}
	return nil
}

// write writes a temporary file beside the file and renames it. like, if not nil, has the mode and
// the owner. check, if not nil, is called immediately before the file is replaced. If there is an
// error, the temporary file is removed.
func (t *target) write(like fs.FileInfo, content func(io.Writer) error, check func() error) (err error) {
	step := t.step
	if step == nil {
		step = func(string) {}
	}
	step("create")
	// A name of its own, since the name of the file with a suffix may be too long. A file that has
	// it already is an error.
	temp := fmt.Sprintf(".vinoir-%016x.tmp", rand.Uint64())
	perm := fs.FileMode(0o666)
	if like != nil {
		perm = 0o600 // until it has the mode and owner of like
	}
	file, err := t.dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		// The name of the file that was asked for says more than a name that nobody has chosen.
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			err = &fs.PathError{Op: "create", Path: filepath.Join(t.dir.Name(), t.name), Err: at.Err}
		}
		return err
	}
	defer func() {
		if err != nil {
			_ = file.Close()
			_ = t.dir.Remove(temp)
		}
	}()
	step("write")
	if err = content(file); err != nil {
		return err
	}
	if like != nil {
		keepOwner(file, like)
		if err = file.Chmod(like.Mode().Perm()); err != nil {
			return err
		}
	}
	step("sync")
	if err = file.Sync(); err != nil {
		return err
	}
	if err = file.Close(); err != nil {
		return err
	}
	step("check")
	if check != nil {
		if err = check(); err != nil {
			return err
		}
	}
	step("rename")
	if err = t.dir.Rename(temp, t.name); err != nil {
		return err
	}
	step("sync folder")
	// The file is whole without it, but may be the old one after a power failure. Not every system
	// can do this.
	if folder, openErr := t.dir.Open("."); openErr == nil {
		_ = folder.Sync()
		_ = folder.Close()
	}
	return nil
}
