package irxml

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"unsafe"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/mapped"
	"github.com/vinoir/vinoir/internal/regular"
	"github.com/vinoir/vinoir/ir"
)

// weights is the .bin of a model, which may be missing.
type weights struct {
	data    []byte
	size    int64  // length of data; -1 if there is no .bin
	path    string // "" if the .bin came from memory
	missing error  // the error if it could not be read
	noBin   bool
	end     uint64       // of the last Constant in the file, also of those that nothing reads
	mapping *mapped.File // nil if the .bin is not mapped
	limits  Limits
	copied  int64 // bytes of memory that constants take in addition to data
	// copies has the elements that were copied, by range. Equal constants often share a range.
	copies map[copyKey][]byte
	// unaligned has the large constants that are copied when they are read, by range.
	unaligned map[copyKey]ir.Deferred
}

// copyKey is a range of the .bin and the way in which it is copied.
type copyKey struct {
	offset  uint64
	size    int
	width   int
	boolean bool
}

// open reads or maps the .bin.
func (w *weights) open(opts ReadOptions) error { return w.opened(w.load(w.path, opts)) }

// opened sets the size of the .bin, or why it is missing: err, or that it is a pointer of Git LFS.
func (w *weights) opened(err error) error {
	if foreign := pointer(w.data); err == nil && foreign != nil {
		w.close()
		w.data, err = nil, faults.Errorf("%s: %w", w.path, foreign)
	}
	if w.missing = err; err == nil {
		w.size = int64(len(w.data))
	}
	return err
}

// openFS reads the .bin from fsys.
func (w *weights) openFS(fsys fs.FS, opts ReadOptions) error {
	file, err := fsys.Open(w.path)
	if err == nil {
		if w.data, err = regular.Read(file, opts.Limits.BinBytes); err != nil {
			err = asTooLong(faults.Errorf("%s: %w", w.path, err))
		}
	}
	return w.opened(err)
}

// load reads or maps the file at path.
func (w *weights) load(path string, opts ReadOptions) error {
	if opts.MMap {
		file, err := regular.Open(path)
		if err != nil {
			return err
		}
		m, err := mapped.Open(file, opts.Limits.BinBytes)
		file.Close()
		if err == nil {
			w.mapping, w.data = m, m.Data
			return nil
		}
		if !errors.Is(err, errors.ErrUnsupported) {
			return asTooLong(faults.Errorf("%s: %w", path, err))
		}
	}
	var err error
	w.data, err = readRegular(path, opts.Limits.BinBytes)
	return err
}

// close unmaps the .bin. Nothing in the mapping may be used afterwards.
func (w *weights) close() {
	if w.mapping != nil {
		// An error here cannot be handled.
		_ = w.mapping.Close()
		w.mapping = nil
	}
}

// init sets the options for reading constants.
func (w *weights) init(opts ReadOptions) {
	w.noBin = opts.NoBin
	w.limits = opts.Limits
	if w.limits.CopiedBytes == 0 {
		w.limits.CopiedBytes = 256<<20 + 4*min(max(w.size, 0), math.MaxInt64/8)
	}
}

// addEnds sets end for the Constants among layers. Those that nothing reads may have any offset.
func (w *weights) addEnds(layers []*ir.Layer) {
	for _, layer := range layers {
		if layer.Type != "Constant" {
			continue
		}
		attributes := ir.AttributesOf(layer)
		offset, err := uintAttribute(attributes, "offset")
		size, errSize := uintAttribute(attributes, "size")
		if err == nil && errSize == nil && offset <= math.MaxUint64-size {
			w.end = max(w.end, offset+size)
		}
	}
}

// absent returns the error for a Constant that needs the missing .bin.
func (w *weights) absent() error {
	if w.path == "" {
		return errors.New("the Constant needs the .bin, and none is given")
	}
	return faults.Errorf("the Constant needs the .bin: %w", w.missing)
}

// reserve adds n bytes to w.copied. It returns an error if that exceeds the limit.
func (w *weights) reserve(n int) error {
	if int64(n) > w.limits.CopiedBytes-w.copied {
		return faults.Errorf("constants need more than %d bytes besides the .bin", w.limits.CopiedBytes)
	}
	w.copied += int64(n)
	return nil
}

// smallBytes is the largest size of integer constants that are copied out of a mapping.
const smallBytes = 8 * ir.MaxValues

// largeBytes is the smallest size of unaligned constants that are copied only when they are
// read.
const largeBytes = 1 << 16

// deferCopy returns a Deferred that copies data, the elements of a constant at offset, when
// they are first read. It returns nil if they need no copy, are small, or need more changes
// than alignment.
func (w *weights) deferCopy(t ir.ElementType, data []byte, offset uint64) (ir.Deferred, error) {
	if len(data) < largeBytes || bigEndian || t == ir.Boolean || t.Size() == 0 || !w.mustCopy(t, data) {
		return nil, nil
	}
	key := copyKey{offset, len(data), t.Size(), false}
	if shared := w.unaligned[key]; shared != nil {
		return shared, nil
	}
	if err := w.reserve(len(data)); err != nil {
		return nil, err
	}
	if w.unaligned == nil {
		w.unaligned = make(map[copyKey]ir.Deferred)
	}
	u := ir.UnalignedBytes(data)
	w.unaligned[key] = u
	return u, nil
}

// view returns data, the elements of a constant at offset, in the form of a Tensor: aligned, in
// the machine's byte order, and booleans as 0 or 1. It shares the memory of the .bin if
// possible.
func (w *weights) view(t ir.ElementType, data []byte, offset uint64) ([]byte, error) {
	if len(data) == 0 || !w.mustCopy(t, data) {
		return data, nil
	}
	key := copyKey{offset, len(data), t.Size(), t == ir.Boolean}
	if shared, ok := w.copies[key]; ok {
		return shared, nil
	}
	if err := w.reserve(len(data)); err != nil {
		return nil, err
	}
	aligned := ir.AlignedBytes(len(data))
	copy(aligned, data)
	aligned = w.normalise(t, aligned)
	if w.copies == nil {
		w.copies = make(map[copyKey][]byte)
	}
	w.copies[key] = aligned
	return aligned, nil
}

// mustCopy reports whether data must be copied out of the .bin: to align it, to change its byte
// order, to normalise booleans, or because shapes may depend on it and the .bin is mapped.
func (w *weights) mustCopy(t ir.ElementType, data []byte) bool {
	width := max(t.Size(), 1)
	switch {
	case uintptr(unsafe.Pointer(&data[0]))%uintptr(min(width, 8)) != 0:
		return true
	case bigEndian && width > 1:
		return true
	case t == ir.Boolean:
		return w.mapping != nil || !areBools(data)
	}
	return w.mapping != nil && t.IsInteger() && len(data) <= smallBytes
}

// areBools reports whether all bytes are 0 or 1.
func areBools(data []byte) bool {
	for _, b := range data {
		if b > 1 {
			return false
		}
	}
	return true
}

// normalise changes elements from their form in a .bin to that in a Tensor, in place: the byte
// order, and booleans to 0 or 1.
func (w *weights) normalise(t ir.ElementType, data []byte) []byte {
	if t == ir.Boolean {
		for i, b := range data {
			if b > 1 {
				data[i] = 1
			}
		}
	}
	if width := t.Size(); bigEndian && width > 1 {
		swapBytes(data, width)
	}
	return data
}

// swapBytes reverses the bytes of each element of width bytes, in place, and returns data.
func swapBytes(data []byte, width int) []byte {
	for i := 0; i+width <= len(data); i += width {
		element := data[i : i+width]
		for a, b := 0, width-1; a < b; a, b = a+1, b-1 {
			element[a], element[b] = element[b], element[a]
		}
	}
	return data
}

// bigEndian reports whether this machine is big-endian. The .bin is little-endian.
var bigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1
