// Package npy reads and writes NumPy's .npy files as tensors: versions 1.0, 2.0 and 3.0 of the
// format that https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html specifies,
// for arrays of one simple type. It also reads .npz files, archives of them.
//
// NumPy has no equivalent of several element types of OpenVINO. A file has bf16 as uint16,
// 8-bit floats as uint8, and sub-byte types as the uint8 or int8 of their packed bytes; the
// caller of Array.Tensor specifies which element type is meant. Strings are NumPy's type U.
package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
	"os"
	"strconv"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/regular"
	"github.com/vinoir/vinoir/ir"
)

// Array is the content of a file, in row-major order.
type Array struct {
	// Descr is NumPy's name of the type: "<f4", "|b1", "<U5".
	Descr string
	Shape ir.Shape
	// Data has the elements in the machine's byte order; booleans are 0 or 1. It is nil for
	// strings.
	Data    []byte
	Strings []string

	elementType ir.ElementType
}

// MaxFileBytes is the size of the largest file that ReadFile reads.
const MaxFileBytes = 1 << 30

// ReadFile reads the regular file at path, which has at most MaxFileBytes.
func ReadFile(path string) (*Array, error) { return ReadFileLimit(path, MaxFileBytes) }

// ReadFileLimit reads the regular file at path. If it has more than limit bytes, it returns an
// error before it allocates memory for them: a file that is mostly holes can have any length.
func ReadFileLimit(path string, limit int64) (*Array, error) {
	data, err := regular.ReadFile(path, limit)
	if err != nil {
		return nil, err
	}
	a, err := Parse(data)
	if err != nil {
		return nil, faults.Errorf("%s: %w", path, err)
	}
	return a, nil
}

// Parse reads the content of a file. The array may share file, and Parse may change file. It
// allocates at most a small multiple of the length of file, whatever file contains.
func Parse(file []byte) (*Array, error) {
	dict, data, err := split(file)
	if err != nil {
		return nil, err
	}
	h, err := parseHeader(dict)
	if err != nil {
		return nil, err
	}
	a := &Array{Descr: h.descr, Shape: h.shape}
	a.elementType = typeOf(h.kind, h.size)
	itemSize, unit := h.size, h.size // unit is the size to which the byte order applies
	switch h.kind {
	case 'U':
		a.elementType, unit = ir.String, 4
		itemSize *= unit
	case 'c':
		unit /= 2
	}
	if a.elementType == ir.Dynamic {
		return nil, faults.Errorf("no element type corresponds to %s", a.Descr)
	}
	size, err := byteSize(a.Shape, itemSize)
	if err != nil {
		return nil, err
	}
	if len(data) != size {
		return nil, faults.Errorf("%s%v needs %d bytes, the file has %d", a.Descr, a.Shape, size, len(data))
	}
	if h.fortran {
		data = rowMajor(data, a.Shape, itemSize)
	}
	if h.order == ">" && !bigEndian() || h.order == "<" && bigEndian() {
		swapBytes(data, unit)
	}
	if a.elementType == ir.String {
		a.Strings = decodeStrings(data, a.Shape.Elements(), itemSize)
		return a, nil
	}
	if a.elementType == ir.Boolean {
		for i, b := range data {
			data[i] = min(b, 1)
		}
	}
	a.Data = data
	return a, nil
}

// byteSize returns the size in bytes of an array.
func byteSize(shape ir.Shape, itemSize int) (int, error) {
	elements, err := ir.ByteSize(ir.U8, shape)
	if err != nil {
		return 0, err
	}
	if itemSize == 0 && elements > 0 {
		return 0, faults.Errorf("%d elements of no bytes", elements)
	}
	over, size := bits.Mul64(uint64(elements), uint64(itemSize))
	if over != 0 || size > math.MaxInt {
		return 0, faults.Errorf("shape %v has more elements than fit an int", shape)
	}
	return int(size), nil
}

// rowMajor returns the elements of a column-major array in row-major order.
func rowMajor(data []byte, shape ir.Shape, itemSize int) []byte {
	out := make([]byte, 0, len(data))
	strides := make([]int, len(shape))
	stride := itemSize
	for axis, n := range shape {
		strides[axis] = stride
		stride *= max(n, 1)
	}
	at := make([]int, len(shape))
	for offset := 0; len(out) < len(data); {
		out = append(out, data[offset:offset+itemSize]...)
		for axis := len(shape) - 1; axis >= 0; axis-- {
			at[axis]++
			offset += strides[axis]
			if at[axis] < shape[axis] {
				break
			}
			offset -= at[axis] * strides[axis]
			at[axis] = 0
		}
	}
	return out
}

// bigEndian reports whether this machine is big-endian.
func bigEndian() bool { return binary.NativeEndian.Uint16([]byte{0, 1}) == 1 }

// swapBytes reverses the bytes of each unit in data.
func swapBytes(data []byte, unit int) {
	for ; unit > 1 && len(data) >= unit; data = data[unit:] {
		for i, j := 0, unit-1; i < j; i, j = i+1, j-1 {
			data[i], data[j] = data[j], data[i]
		}
	}
}

// decodeStrings decodes n fixed-length strings of 4-byte code points, padded with zeros.
func decodeStrings(data []byte, n, itemSize int) []string {
	all := make([]string, n)
	for i := range all {
		var text []rune
		item := data[i*itemSize : (i+1)*itemSize]
		for last := len(item); last > 0; last -= 4 {
			if c := binary.NativeEndian.Uint32(item[last-4:]); c != 0 {
				text = make([]rune, last/4)
				break
			}
		}
		for k := range text {
			text[k] = rune(binary.NativeEndian.Uint32(item[4*k:]))
		}
		all[i] = string(text)
	}
	return all
}

// Write writes a tensor as a .npy file. Strings must be UTF-8.
func Write(w io.Writer, t *ir.Tensor) error {
	descr, shape, err := describe(t)
	if err != nil {
		return err
	}
	dims := []byte{'('}
	for i, n := range shape {
		if i > 0 {
			dims = append(dims, ' ')
		}
		dims = append(strconv.AppendInt(dims, int64(n), 10), ',')
	}
	if len(shape) > 1 {
		dims = dims[:len(dims)-1]
	}
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s), }", descr, dims)
	// NumPy pads the header so that the data starts at a multiple of 64 bytes.
	const fixed, align = 10, 64
	length := (fixed+len(dict)+1+align-1)/align*align - fixed
	if length > math.MaxUint16 {
		return faults.Errorf("shape of rank %d does not fit a header", len(shape))
	}
	head := append([]byte(magic+"\x01\x00"), byte(length), byte(length>>8))
	head = fmt.Appendf(head, "%-*s\n", length-1, dict)
	if _, err := w.Write(head); err != nil {
		return err
	}
	if t.ElementType() == ir.String {
		return writeStrings(w, t.Strings())
	}
	_, err = w.Write(t.Bytes())
	return err
}

// WriteFile writes a tensor to the file at path.
func WriteFile(path string, t *ir.Tensor) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	err = Write(f, t)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}
