package tensors

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"unsafe"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/narrow"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// Loader makes tensors. It must not be used by several goroutines at once.
type Loader struct {
	// File returns the content of a file with tensors, by its location in the model; nil means that
	// the model has no folder in which it could be.
	File func(location string) ([]byte, error)
	// Mapped means that files are mapped into memory. Integers that shapes may depend on are then
	// copied: see irxml.ReadOptions.MMap.
	Mapped bool
	// TensorBytes is the largest size of a tensor, and Bytes that of all elements that are copied
	// or computed, in place of being shared with a file.
	TensorBytes, Bytes int64
}

// reserve counts n bytes of memory for elements.
func (l *Loader) reserve(n int) error {
	if int64(n) > l.Bytes {
		return faults.Errorf("tensors need %d bytes more than the limit for elements that are not shared with the file", int64(n)-l.Bytes)
	}
	l.Bytes -= int64(n)
	return nil
}

// elementTypes has the element type for each DataType; Dynamic for those that OpenVINO does not
// have: see Narrow.
var elementTypes = [...]ir.ElementType{
	proto.Float: ir.F32, proto.Uint8: ir.U8, proto.Int8: ir.I8, proto.Uint16: ir.U16, proto.Int16: ir.I16, proto.Int32: ir.I32,
	proto.Int64: ir.I64, proto.String: ir.String, proto.Bool: ir.Boolean, proto.Float16: ir.F16, proto.Double: ir.F64,
	proto.Uint32: ir.U32, proto.Uint64: ir.U64, proto.BFloat16: ir.BF16, proto.Float8E4M3FN: ir.F8E4M3, proto.Float8E5M2: ir.F8E5M2,
	proto.Uint4: ir.U4, proto.Int4: ir.I4, proto.Float4E2M1: ir.F4E2M1, proto.Float8E8M0: ir.F8E8M0, proto.Uint2: ir.U2,
}

// ElementType returns the element type for t: that which holds its values if OpenVINO does not have
// it. It is an error if t is undefined, and if no type has its values: those are complex numbers.
func ElementType(t proto.DataType) (ir.ElementType, error) {
	if t <= 0 || t > proto.Float6E3M2 {
		return ir.Dynamic, faults.Errorf("element type %d is not one of ONNX", int32(t))
	}
	if narrow := Narrow(t); narrow != nil {
		return narrow.Holder, nil
	}
	if int(t) >= len(elementTypes) || elementTypes[t] == ir.Dynamic {
		return ir.Dynamic, &UnsupportedTypeError{t.String()}
	}
	return elementTypes[t], nil
}

// Narrow returns t if it is a type that OpenVINO does not have, whose values are held by elements
// of a wider type; nil for all others.
func Narrow(t proto.DataType) *narrow.Type {
	if t < 0 || int(t) < len(elementTypes) && elementTypes[t] != ir.Dynamic {
		return nil
	}
	return narrow.Named(t.String())
}

// UnsupportedTypeError reports a type of values that no layer has.
type UnsupportedTypeError struct {
	// Type is ONNX's name of it.
	Type string
}

func (e *UnsupportedTypeError) Error() string {
	return "type " + e.Type + " is not supported: OpenVINO does not have it"
}

// Unsupported implements validate.Unsupported.
func (e *UnsupportedTypeError) Unsupported() bool { return true }

// Missing returns the type.
func (e *UnsupportedTypeError) Missing() string { return "type " + e.Type }

// Tensor returns the tensor of t.
func (l *Loader) Tensor(t *proto.Tensor) (*ir.Tensor, error) {
	e, shape, size, err := l.form(t.DataType, t.Dims)
	switch {
	case err != nil:
		return nil, err
	case t.Segment:
		return nil, errors.New("the tensor is a segment, which ONNX does not specify")
	case Narrow(t.DataType) != nil:
		return l.expand(Narrow(t.DataType), t, shape, size)
	case t.External:
		data, err := l.external(t, e)
		if err != nil {
			return nil, err
		}
		return l.share(e, shape, size, data)
	case t.Raw != nil && e == ir.String:
		return nil, errors.New("raw_data has strings, which must be in string_data")
	case t.Raw != nil:
		return l.share(e, shape, size, t.Raw)
	}
	return l.typed(t, e, shape, size)
}

// form returns the element type, the shape and the size in bytes of a tensor.
func (l *Loader) form(t proto.DataType, dims []int64) (e ir.ElementType, shape ir.Shape, size int, err error) {
	if e, err = ElementType(t); err != nil {
		return 0, nil, 0, err
	}
	if err := ir.CheckRank(len(dims)); err != nil {
		return 0, nil, 0, err
	}
	shape = make(ir.Shape, len(dims))
	for i, d := range dims {
		if d < 0 || d > math.MaxInt {
			return 0, nil, 0, faults.Errorf("dims[%d] is %d, expected 0 to %d", i, d, math.MaxInt)
		}
		shape[i] = int(d)
	}
	if size, err = ir.ByteSize(e, shape); err != nil {
		return 0, nil, 0, err
	}
	if int64(size) > l.TensorBytes {
		return 0, nil, 0, faults.Errorf("%v%v needs %d bytes, more than the limit of %d", e, shape, size, l.TensorBytes)
	}
	return e, shape, size, nil
}

const (
	// smallBytes is the largest size of integers that are copied out of a mapping.
	smallBytes = 8 * ir.MaxValues
	// largeBytes is the smallest size of unaligned elements that are copied only when they are
	// read.
	largeBytes = 1 << 16
)

// share returns a tensor over data, which is little-endian, or over a copy of it.
func (l *Loader) share(t ir.ElementType, shape ir.Shape, size int, data []byte) (*ir.Tensor, error) {
	if len(data) != size {
		return nil, faults.Errorf("%v%v needs %d bytes, the data has %d", t, shape, size, len(data))
	}
	width := t.Size()
	switch {
	case size == 0:
		return ir.NewTensor(t, shape...)
	case t == ir.Boolean && (l.Mapped || slices.ContainsFunc(data, func(b byte) bool { return b > 1 })):
	case width > 1 && bigEndian:
	case l.Mapped && t.IsInteger() && size <= smallBytes:
	case width < 2 || uintptr(unsafe.Pointer(&data[0]))%uintptr(min(width, 8)) == 0:
		return ir.TensorOfBytes(t, shape, data)
	case size >= largeBytes:
		if err := l.reserve(size); err != nil {
			return nil, err
		}
		return ir.DeferredTensor(t, shape, ir.UnalignedBytes(data))
	}
	if err := l.reserve(size); err != nil {
		return nil, err
	}
	own := ir.AlignedBytes(size)
	copy(own, data)
	if t == ir.Boolean {
		for i, b := range own {
			own[i] = min(b, 1)
		}
	}
	if width > 1 && bigEndian {
		for i := 0; i < size; i += width {
			slices.Reverse(own[i : i+width])
		}
	}
	return ir.TensorOfBytes(t, shape, own)
}

// bigEndian reports whether this machine is big-endian. Files are little-endian.
var bigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1
