package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/internal/regular"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/npy"
	"github.com/vinoir/vinoir/plugin"
	"github.com/vinoir/vinoir/preprocess"
)

// tensorReader reads tensors for the inputs or outputs of a model from files.
type tensorReader struct {
	ctx      context.Context
	kind     string // "input" or "output"
	cast     bool
	left     int64         // the number of bytes that the tensors before have left
	pictures *pictureFlags // nil if there are no pictures
}

// maxHeader is the length of the header of a .npy file that does not count as memory.
const maxHeader = 4096

// limit returns the size of the largest file.
func (r *tensorReader) limit() int64 { return min(r.left, math.MaxInt64-maxHeader) + maxHeader }

// file reads the tensor of port i from the .npy file, the picture or the .npz file at path.
// "F.npz:KEY" has the key of the array; without it, the names of the port are looked for. What a
// file is, its first bytes tell. file also says in words where the tensor is from.
func (r *tensorReader) file(i int, port *plugin.Port, path string) (*ir.Tensor, string, error) {
	name, key := splitKey(path)
	data, err := regular.ReadFile(name, r.limit())
	if err != nil {
		return nil, "", r.fault(port, err)
	}
	switch {
	case npy.IsArchive(data):
		folder := tensorFolder{path: name}
		if folder.archive, err = npy.ParseArchive(data); err != nil {
			break
		}
		if key != "" {
			return folder.read(r, port, key)
		}
		return folder.tensor(r, i, port)
	case key != "":
		err = faults.Errorf("the file is no .npz file, so it has no array %s", printable.Quote(key, maxName))
	case preprocess.IsPicture(data) && r.pictures != nil:
		tensor, size, fault := r.pictures.tensor(r.ctx, port, data, r.left)
		if fault == nil {
			return r.spend(tensor), fmt.Sprintf("read from %s, %s pixels", name, size), nil
		}
		err = fault
	case !bytes.HasPrefix(data, []byte(npyStart)):
		err = r.foreign(data)
	default:
		array, fault := npy.Parse(data)
		if fault == nil {
			var tensor *ir.Tensor
			if tensor, fault = r.convert(port, array); fault == nil {
				return r.spend(tensor), "read from " + name, nil
			}
		}
		err = fault
	}
	return nil, "", faults.Errorf("%s: %w", name, r.fault(port, err))
}

// npyStart is how .npy files start.
const npyStart = "\x93NUMPY"

// foreign returns an error about a file of a kind that r does not read.
func (r *tensorReader) foreign(data []byte) error {
	at := func(offset int, magic string) bool {
		return len(data) >= offset && bytes.HasPrefix(data[offset:], []byte(magic))
	}
	switch isPicture := at(0, "GIF8") || at(0, "BM") || at(0, "II*\x00") || at(0, "MM\x00*") || at(8, "WEBP") || at(4, "ftyp"); {
	case at(0, "version https://git-lfs.github.com/"):
		return errors.New("this is a pointer of Git LFS, not the file itself: fetch it: git lfs pull")
	case r.pictures == nil:
		return errors.New("neither an .npy nor an .npz file")
	case isPicture:
		return errors.New("a picture that is neither PNG nor JPEG: convert it to one of them")
	}
	return errors.New("none of .npy, .npz, PNG and JPEG")
}

// fault returns an error about port.
func (r *tensorReader) fault(port *plugin.Port, err error) error {
	return faults.Errorf("%s %s: %w", r.kind, printable.Quote(port.Name, maxName), err)
}

// spend subtracts the memory of a tensor from what is left.
func (r *tensorReader) spend(tensor *ir.Tensor) *ir.Tensor {
	r.left = max(r.left-memoryOf(tensor), 0)
	return tensor
}

// convert returns an array as a tensor of the type of port.
func (r *tensorReader) convert(port *plugin.Port, array *npy.Array) (*ir.Tensor, error) {
	shape, err := port.Shape.Static()
	if err != nil || port.Type.Bits() >= 8 || port.Type.Bits() == 0 {
		shape = nil // the shape in the file
	}
	tensor, err := array.Tensor(port.Type, shape)
	if err == nil || array.ElementType() == port.Type {
		return tensor, err
	}
	if !r.cast {
		if castable(array.ElementType()) && castable(port.Type) {
			err = faults.Errorf("%w: --cast converts the numbers", err)
		}
		return nil, err
	}
	if tensor, err = array.Tensor(ir.Dynamic, nil); err != nil {
		return nil, err
	}
	// A u8 can become an f64, by way of an i64.
	if size := int64(tensor.Len()) * 16; size > r.left {
		return nil, faults.Errorf("to --cast %d elements takes up to %d bytes, of which %d are left", tensor.Len(), size, r.left)
	}
	return cast(tensor, port.Type)
}

// splitKey splits F.npz:KEY, unless there is a file of that name.
func splitKey(path string) (name, key string) {
	const extension = ".npz"
	if at := strings.LastIndex(path, extension+":"); at >= 0 {
		if _, err := os.Stat(path); err != nil {
			return path[:at+len(extension)], path[at+len(extension)+1:]
		}
	}
	return path, ""
}

// tensorFolder is a folder of .npy files, or an .npz file.
type tensorFolder struct {
	path    string
	archive *npy.Archive // nil if it is a folder
}

// open opens a folder or an .npz file.
func (r *tensorReader) open(path string) (*tensorFolder, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, faults.Errorf("%s is not a folder: %w", path, err)
	case info.IsDir():
		return &tensorFolder{path: path}, nil
	}
	data, err := regular.ReadFile(path, r.limit())
	if err != nil {
		return nil, err
	}
	if !npy.IsArchive(data) {
		return nil, faults.Errorf("%s is not a folder, and no .npz file", path)
	}
	archive, err := npy.ParseArchive(data)
	if err != nil {
		return nil, faults.Errorf("%s: %w", path, err)
	}
	r.left = max(r.left-int64(len(data)), 0)
	return &tensorFolder{path, archive}, nil
}

// tensor reads the tensor of port i from the file with one of its names, or its number. A name that
// is a number comes after the number of the port: 0.npy is for the first one, even if another one
// is named 0.
func (d *tensorFolder) tensor(r *tensorReader, i int, port *plugin.Port) (*ir.Tensor, string, error) {
	isNumber := func(name string) bool { _, err := strconv.Atoi(name); return err == nil }
	all := append(slices.Clone(port.Names), port.Name)
	names := append(slices.DeleteFunc(slices.Clone(all), isNumber), strconv.Itoa(i))
	for _, name := range all {
		if isNumber(name) {
			names = append(names, name)
		}
	}
	extension, what := ".npy", "file"
	if d.archive != nil {
		// which numpy.savez calls arrays without a name
		names = append(names, "arr_"+strconv.Itoa(i))
		extension, what = "", "array"
	}
	var looked []string
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if err := r.ctx.Err(); err != nil {
			return nil, "", err
		}
		if seen[name] {
			continue
		}
		seen[name] = true
		if d.archive != nil {
			if looked = append(looked, name); d.archive.Has(name) {
				return d.read(r, port, name)
			}
			continue
		}
		if filepath.Base(name) != name {
			continue // a name with a slash is no file of the folder
		}
		looked = append(looked, name+extension)
		path := filepath.Join(d.path, name+extension)
		if _, err := os.Stat(path); err == nil {
			return r.file(i, port, path)
		}
	}
	hint := ""
	switch {
	case d.archive != nil:
		hint = ", it has " + printable.Quote(strings.Join(d.archive.Keys, ", "), 4*maxName)
	case r.kind == "input":
		hint = "; --in gives it another one"
	}
	return nil, "", faults.Errorf("%s has no %s for %s %d %s: looked for %s%s",
		d.path, what, r.kind, i, printable.Quote(port.Name, maxName), printable.Quote(strings.Join(looked, ", "), 4*maxName), hint)
}

// read reads the array with the given key.
func (d *tensorFolder) read(r *tensorReader, port *plugin.Port, key string) (*ir.Tensor, string, error) {
	array, err := d.archive.Read(key, r.limit())
	if err == nil {
		var tensor *ir.Tensor
		if tensor, err = r.convert(port, array); err == nil {
			return r.spend(tensor), "read from " + d.path + ":" + key, nil
		}
	}
	return nil, "", faults.Errorf("%s: %w", d.path, r.fault(port, err))
}

// memoryOf returns what tensor counts against the limits.
func memoryOf(tensor *ir.Tensor) int64 {
	size := int64(max(len(tensor.Bytes()), tensor.Len()))
	for _, s := range tensor.Strings() {
		size += int64(unsafe.Sizeof(s)) + int64(len(s))
	}
	return size
}
