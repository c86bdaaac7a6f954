package oip

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// Files returns the files of contents, by their paths with slashes, as a file system in memory, for
// LoadOptions. The contents are shared. It returns an error with the code Malformed if a path is
// not one of a file below the root, or has another file as a folder.
func Files(contents map[string][]byte) (fs.FS, error) {
	files := memoryFiles{".": {name: ".", folder: true}}
	for name, content := range contents {
		if !fs.ValidPath(name) || name == "." {
			return nil, Errorf(Malformed, "the file %q has no path below the model's folder", name)
		}
		files[name] = &memoryFile{name: path.Base(name), content: content}
	}
	for name := range contents {
		for folder := path.Dir(name); ; folder = path.Dir(folder) {
			known, ok := files[folder]
			if ok && !known.folder {
				return nil, Errorf(Malformed, "%q is both a file and the folder of file %q", folder, name)
			}
			if !ok {
				known = &memoryFile{name: path.Base(folder), folder: true}
				files[folder] = known
			}
			if folder == "." {
				break
			}
		}
	}
	for name, file := range files {
		if name != "." {
			folder := files[path.Dir(name)]
			folder.entries = append(folder.entries, fs.FileInfoToDirEntry(file))
		}
	}
	for _, file := range files {
		slices.SortFunc(file.entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	}
	return files, nil
}

// memoryFiles has files and folders by their paths.
type memoryFiles map[string]*memoryFile

// Open implements fs.FS.
func (m memoryFiles) Open(name string) (fs.File, error) {
	file, err := m.find("open", name)
	if err != nil {
		return nil, err
	}
	return &openFile{memoryFile: file, Reader: bytes.NewReader(file.content), rest: file.entries}, nil
}

// ReadFile implements fs.ReadFileFS. The contents are a copy.
func (m memoryFiles) ReadFile(name string) ([]byte, error) {
	file, err := m.find("read", name)
	if err != nil {
		return nil, err
	}
	if file.folder {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	return bytes.Clone(file.content), nil
}

func (m memoryFiles) find(operation, name string) (*memoryFile, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: operation, Path: name, Err: fs.ErrInvalid}
	}
	if file, ok := m[name]; ok {
		return file, nil
	}
	return nil, &fs.PathError{Op: operation, Path: name, Err: fs.ErrNotExist}
}

// memoryFile is a file or a folder, and its own fs.FileInfo.
type memoryFile struct {
	name    string
	folder  bool
	content []byte
	entries []fs.DirEntry
}

// The methods of fs.FileInfo.
func (f *memoryFile) Name() string       { return f.name }
func (f *memoryFile) Size() int64        { return int64(len(f.content)) }
func (f *memoryFile) ModTime() time.Time { return time.Time{} }
func (f *memoryFile) IsDir() bool        { return f.folder }
func (f *memoryFile) Sys() any           { return nil }
func (f *memoryFile) Mode() fs.FileMode {
	if f.folder {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

// openFile is a memoryFile that is being read.
type openFile struct {
	*memoryFile
	*bytes.Reader
	rest []fs.DirEntry
}

// Size is that of fs.FileInfo and bytes.Reader, which are the same.
func (f *openFile) Size() int64 { return f.memoryFile.Size() }

// Stat implements fs.File.
func (f *openFile) Stat() (fs.FileInfo, error) { return f.memoryFile, nil }

// Read implements fs.File.
func (f *openFile) Read(b []byte) (int, error) {
	if f.folder {
		return 0, &fs.PathError{Op: "read", Path: f.name, Err: fs.ErrInvalid}
	}
	return f.Reader.Read(b)
}

// Close implements fs.File.
func (f *openFile) Close() error { return nil }

// ReadDir implements fs.ReadDirFile.
func (f *openFile) ReadDir(n int) ([]fs.DirEntry, error) {
	if !f.folder {
		return nil, &fs.PathError{Op: "readdir", Path: f.name, Err: fs.ErrInvalid}
	}
	if n > 0 && len(f.rest) == 0 {
		return nil, io.EOF
	}
	if n <= 0 || n > len(f.rest) {
		n = len(f.rest)
	}
	entries := f.rest[:n]
	f.rest = f.rest[n:]
	return entries, nil
}
