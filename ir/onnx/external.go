package onnx

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/mapped"
	"github.com/vinoir/vinoir/internal/regular"
	"github.com/vinoir/vinoir/ir"
)

// external opens files with external data, each of them once.
type external struct {
	open func(location string, limit int64) ([]byte, error)
	left int64 // bytes that may still be read
}

// file returns a function that returns the content of the file at a location.
func (e external) file() func(location string) ([]byte, error) {
	known := make(map[string][]byte)
	return func(location string) ([]byte, error) {
		if data, ok := known[location]; ok {
			return data, nil
		}
		if err := checkLocation(location); err != nil {
			return nil, err
		}
		data, err := e.open(location, e.left)
		if err != nil {
			return nil, err
		}
		e.left -= int64(len(data))
		known[location] = data
		return data, nil
	}
}

// checkLocation returns an error unless location is a path in the folder of the model, with slashes
// as separators, on every system.
func checkLocation(location string) error {
	clean := path.Clean(location)
	if !fs.ValidPath(clean) || clean == "." || strings.ContainsAny(location, "\\\x00") || strings.Contains(location, ":") || !filepath.IsLocal(clean) {
		return faults.Errorf("the location %q is not a path in the folder of the model", location)
	}
	return nil
}

// inFS returns a function that reads files beside the file called name in fsys.
func inFS(fsys fs.FS, name string) func(string, int64) ([]byte, error) {
	return func(location string, limit int64) ([]byte, error) {
		file, err := fsys.Open(path.Join(path.Dir(name), path.Clean(location)))
		if err != nil {
			return nil, err
		}
		data, err := regular.Read(file, limit)
		if err != nil {
			return nil, faults.Errorf("%s: %w", location, err)
		}
		return data, nil
	}
}

// diskFolder is the folder of a model on disk. It implements ir.Storage for the files that it maps.
type diskFolder struct {
	path     string
	mapped   bool
	root     *os.Root // nil until it is needed
	mappings []*mapped.File
}

// open reads or maps a file in the folder. The system refuses links that leave it.
func (d *diskFolder) open(location string, limit int64) ([]byte, error) {
	if d.root == nil {
		root, err := os.OpenRoot(d.path)
		if err != nil {
			return nil, err
		}
		d.root = root
	}
	return d.load(func(name string) (*os.File, error) {
		file, err := d.root.OpenFile(name, os.O_RDONLY|regular.NonBlock, 0)
		if err != nil {
			return nil, err
		}
		return file, nil
	}, filepath.FromSlash(path.Clean(location)), limit)
}

// load reads or maps the regular file that open opens.
func (d *diskFolder) load(open func(string) (*os.File, error), name string, limit int64) ([]byte, error) {
	file, err := open(name)
	if err != nil {
		return nil, err
	}
	if d.mapped {
		m, err := mapped.Open(file, limit)
		if err == nil {
			file.Close()
			d.mappings = append(d.mappings, m)
			return m.Data, nil
		}
		if !errors.Is(err, errors.ErrUnsupported) {
			file.Close()
			return nil, faults.Errorf("%s: %w", name, err)
		}
	}
	data, err := regular.Read(file, limit)
	if err != nil {
		return nil, faults.Errorf("%s: %w", name, err)
	}
	return data, nil
}

// closeRoot closes the folder. Mappings stay.
func (d *diskFolder) closeRoot() {
	if d.root != nil {
		_ = d.root.Close() // it was only read
		d.root = nil
	}
}

// Close unmaps all files.
func (d *diskFolder) Close() error {
	var all []error
	for _, m := range d.mappings {
		all = append(all, m.Close())
	}
	d.mappings = nil
	return faults.Join(all...)
}

// Discard releases the memory of data if it is in one of the files.
func (d *diskFolder) Discard(data []byte) {
	for _, m := range d.mappings {
		m.Discard(data)
	}
}

var _ ir.Storage = (*diskFolder)(nil)
