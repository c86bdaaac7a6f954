package repository

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Folder is a folder of files: of the system, or of a program's own file system.
type Folder struct {
	FS fs.FS
	// Path is where the folder is in the system; empty if it is not there.
	Path string
}

// Dir returns the folder of the system at path.
func Dir(path string) Folder { return Folder{FS: os.DirFS(path), Path: path} }

// String returns the path, for messages.
func (f Folder) String() string {
	if f.Path == "" {
		return "the folder"
	}
	return f.Path
}

// Sub returns the folder at name, a path as package fs has them.
func (f Folder) Sub(name string) (Folder, error) {
	if f.Path != "" {
		return Dir(filepath.Join(f.Path, filepath.FromSlash(name))), nil
	}
	sub, err := fs.Sub(f.FS, name)
	return Folder{FS: sub}, err
}

// entry is a file or folder; a link is what it leads to.
type entry struct {
	name  string
	isDir bool
}

// entries lists the files and folders at name, sorted. Those whose names start with a dot are left
// out, as are links that lead nowhere, and what is neither a file nor a folder.
func (f Folder) entries(name string) ([]entry, error) {
	list, err := fs.ReadDir(f.FS, name)
	if err != nil {
		return nil, err
	}
	var found []entry
	for _, e := range list {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		info, err := fs.Stat(f.FS, path.Join(name, e.Name()))
		if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
			continue
		}
		found = append(found, entry{name: e.Name(), isDir: info.IsDir()})
	}
	return found, nil
}

// maxConfigBytes bounds the size of a file with settings.
const maxConfigBytes = 1 << 20

// read returns the contents of a file with settings; nil if there is no such file.
func (f Folder) read(name string) ([]byte, error) {
	info, err := fs.Stat(f.FS, name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil
	}
	file, err := f.FS.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxConfigBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(data) > maxConfigBytes {
		return nil, fmt.Errorf("%s is larger than the limit of %d bytes", name, maxConfigBytes)
	}
	return data, nil
}
