package irxml

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"unsafe"

	"github.com/vinoir/vinoir/ir"
)

// weights is the .bin of a model, or the lack of it.
type weights struct {
	data    []byte
	size    int64  // -1 where there is no .bin
	path    string // "" where the .bin came from memory
	missing error  // why there is none at path
	noBin   bool
	mapping []byte
	limits  Limits
	copied  int64 // bytes that constants take besides data
	// copies are the ranges that had to be copied: writers let equal constants
	// share a range.
	copies map[copyKey][]byte
	// unaligned are the large ones, which are copied when they are read.
	unaligned map[copyKey]ir.Deferred
}

type copyKey struct {
	offset  uint64
	size    int
	width   int
	boolean bool
}

// open reads or maps the .bin.
func (w *weights) open(opts ReadOptions) error {
	w.missing = w.load(w.path, opts)
	if w.missing == nil {
		w.size = int64(len(w.data))
	}
	return w.missing
}

// openFS reads the .bin from fsys.
func (w *weights) openFS(fsys fs.FS, opts ReadOptions) error {
	file, err := fsys.Open(w.path)
	if err == nil {
		if w.data, err = readAllOf(file, opts.Limits.BinBytes); err != nil {
			err = fmt.Errorf("%s: %w", w.path, err)
		}
	}
	if w.missing = err; err == nil {
		w.size = int64(len(w.data))
	}
	return err
}

func (w *weights) load(path string, opts ReadOptions) error {
	if opts.MMap {
		file, err := openRegular(path)
		if err != nil {
			return err
		}
		w.mapping, err = mapRegular(file, opts.Limits.BinBytes)
		file.Close()
		if err == nil {
			w.data = w.mapping
			return nil
		}
		if !errors.Is(err, errors.ErrUnsupported) {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	var err error
	w.data, err = readRegular(path, opts.Limits.BinBytes)
	return err
}

// mapRegular maps the whole of file; nothing of an empty one.
func mapRegular(file *os.File, limit int64) ([]byte, error) {
	info, err := regularInfo(file, limit)
	if err != nil || info.Size() == 0 {
		return nil, err
	}
	return mapFile(file, int(info.Size()))
}

// close gives back the mapping, of which nothing may be in use.
func (w *weights) close() {
	if w.mapping != nil {
		// There is nothing that could be done about an error here.
		_ = unmap(w.mapping)
		w.mapping = nil
	}
}

func (w *weights) init(opts ReadOptions) {
	w.noBin = opts.NoBin
	w.limits = opts.Limits
	if w.limits.CopiedBytes == 0 {
		w.limits.CopiedBytes = 256<<20 + 4*min(max(w.size, 0), math.MaxInt64/8)
	}
}

// absent is the error of a Constant that has no .bin.
func (w *weights) absent() error {
	if w.path == "" {
		return errors.New("the Constant needs the .bin, and none is given")
	}
	return fmt.Errorf("the Constant needs the .bin: %w", w.missing)
}

// reserve counts n bytes that a Constant takes besides the .bin.
func (w *weights) reserve(n int) error {
	if int64(n) > w.limits.CopiedBytes-w.copied {
		return fmt.Errorf("constants need more than %d bytes besides the .bin", w.limits.CopiedBytes)
	}
	w.copied += int64(n)
	return nil
}

// smallBytes is the size up to which integers are copied out of a mapping.
const smallBytes = 8 * ir.MaxValues

// largeBytes is the size from which on a constant is copied only when it is read.
const largeBytes = 1 << 16

// defers returns what copies data, the elements of a constant at offset, when they are
// asked for; nil for those that are small or need no copy but for their alignment.
func (w *weights) defers(t ir.ElementType, data []byte, offset uint64) (ir.Deferred, error) {
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

// view returns data, the elements of a constant at offset, as the machine needs
// them: aligned, in its byte order, booleans 0 or 1. It shares the .bin's memory
// where it can.
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

func areBools(data []byte) bool {
	for _, b := range data {
		if b > 1 {
			return false
		}
	}
	return true
}

// normalise changes elements as they stand in a .bin to those of a Tensor.
func (w *weights) normalise(t ir.ElementType, data []byte) []byte {
	if t == ir.Boolean {
		for i, b := range data {
			if b > 1 {
				data[i] = 1
			}
		}
	}
	if width := t.Size(); bigEndian && width > 1 {
		for i := 0; i+width <= len(data); i += width {
			element := data[i : i+width]
			for a, b := 0, width-1; a < b; a, b = a+1, b-1 {
				element[a], element[b] = element[b], element[a]
			}
		}
	}
	return data
}

// bigEndian reports whether this machine stores the high byte first. The .bin is
// little-endian.
var bigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1
