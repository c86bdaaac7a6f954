package ir

import (
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"strconv"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/memory"
)

// Shape is the static shape of a tensor: the length of each axis.
type Shape []int

// String returns s as "[2,3]".
func (s Shape) String() string { return StaticShape(s...).String() }

// Elements returns the number of elements of a tensor with shape s, which must be a shape that
// NewTensor accepts. It is not inlined, as a loop is larger than a call.
//
//go:noinline
func (s Shape) Elements() int {
	n := 1
	for _, d := range s {
		n *= d
	}
	return n
}

// Partial returns s as a PartialShape.
func (s Shape) Partial() PartialShape { return StaticShape(s...) }

// ByteSize returns the size in bytes of the elements of a tensor: packed as in the .bin for
// sub-byte types, one Go string header per element for String. It returns an error if a length is
// negative, if the rank is above MaxRank, or if the size, or the product of the non-zero lengths,
// does not fit an int.
func ByteSize(t ElementType, shape Shape) (int, error) {
	if err := CheckRank(len(shape)); err != nil {
		return 0, err
	}
	elements := uint64(1)
	empty := false
	for i, d := range shape {
		if d < 0 {
			return 0, faults.Errorf("shape %v: dimension %d is negative", []int(shape), i)
		}
		if d == 0 {
			empty = true
			continue
		}
		var over uint64
		if over, elements = bits.Mul64(elements, uint64(d)); over != 0 || elements > math.MaxInt {
			return 0, faults.Errorf("shape %v has more elements than fit an int", shape)
		}
	}
	if empty {
		return 0, nil
	}
	if t == String {
		if elements > math.MaxInt/uint64(unsafe.Sizeof("")) {
			return 0, faults.Errorf("string%v needs more bytes than fit an int", shape)
		}
		return int(elements) * int(unsafe.Sizeof("")), nil
	}
	if t.Bits() == 0 {
		return 0, faults.Errorf("a tensor of element type %v has no size", t)
	}
	// u3 and u6 are stored in groups of three bytes, other types without gaps.
	group, groupBytes := uint64(8), uint64(t.Bits())
	switch t {
	case U3:
	case U6:
		group, groupBytes = 4, 3
	default:
		if t.Bits() < 8 {
			group, groupBytes = 8/uint64(t.Bits()), 1
		} else {
			group, groupBytes = 1, uint64(t.Bits())/8
		}
	}
	groups := elements / group
	if elements%group != 0 {
		groups++
	}
	over, size := bits.Mul64(groups, groupBytes)
	if over != 0 || size > math.MaxInt {
		return 0, faults.Errorf("%v%v needs more bytes than fit an int", t, shape)
	}
	return int(size), nil
}

// Tensor is a dense tensor in row-major order. Elements of whole bytes are in the byte order of
// the machine; sub-byte types are packed as in the .bin.
type Tensor struct {
	elementType ElementType
	shape       Shape
	data        []byte
	strings     []string
	deferred    Deferred // if not nil, used instead of data
}

// maxBytes returns the size of the largest tensor that NewTensor makes: 1 TiB, or 1 GiB where
// addresses have 32 bits. The Go runtime panics if it is asked for more than the address space.
func maxBytes() int64 {
	if strconv.IntSize == 32 || runtime.GOARCH == "wasm" {
		return 1 << 30
	}
	return 1 << 40
}

// NewTensor returns a tensor of zeros or, for String, of empty strings. It returns an error if
// ByteSize does, or if the tensor would be larger than 1 TiB, or 1 GiB on machines with 32-bit
// addresses.
//
// The Go runtime ends the program if the memory of the machine does not suffice. If the shape is
// not known to be small, compare ByteSize with a limit first.
func NewTensor(t ElementType, shape ...int) (*Tensor, error) {
	size, err := ByteSize(t, shape)
	if err != nil {
		return nil, err
	}
	if limit := maxBytes(); int64(size) > limit {
		return nil, faults.Errorf("%v%v needs %d bytes, more than the limit of %d", t, Shape(shape), size, limit)
	}
	tensor := &Tensor{elementType: t, shape: slices.Clone(Shape(shape))}
	if t == String {
		tensor.strings = make([]string, tensor.shape.Elements())
	} else {
		tensor.data = AlignedBytes(size)
	}
	return tensor, nil
}

// AlignedBytes returns n zero bytes that start at the beginning of a cache line.
func AlignedBytes(n int) []byte { return memory.Bytes(n) }

// Element lists the Go types of tensor elements. Types with one of these underlying types are
// accepted too, such as x448/float16.Float16 for F16.
type Element interface {
	~bool | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 |
		~float32 | ~float64 | ~complex64 | ~complex128
}

// TensorOf returns a tensor of element type t over data, which it shares. T must have the size
// of t, and len(data) must be the number of elements of shape.
func TensorOf[T Element](t ElementType, shape Shape, data []T) (*Tensor, error) {
	return tensorOf(t, shape, cast.Memory(data), len(data), int(unsafe.Sizeof(*new(T))), *new(T))
}

// tensorOf is TensorOf for n elements of elementSize bytes in raw, which have the type of zero. It
// is the same for all types.
func tensorOf(t ElementType, shape Shape, raw []byte, n, elementSize int, zero any) (*Tensor, error) {
	if t.Size() != elementSize {
		return nil, faults.Errorf("elements of type %T cannot hold element type %v", zero, t)
	}
	size, err := ByteSize(t, shape)
	if err != nil {
		return nil, err
	}
	if size/t.Size() != n {
		return nil, faults.Errorf("shape %v needs %d elements, the data has %d", shape, size/t.Size(), n)
	}
	return &Tensor{elementType: t, shape: slices.Clone(shape), data: raw}, nil
}

// StringTensor returns a string tensor over data, which it shares.
func StringTensor(shape Shape, data []string) (*Tensor, error) {
	if _, err := ByteSize(String, shape); err != nil {
		return nil, err
	}
	if shape.Elements() != len(data) {
		return nil, faults.Errorf("shape %v needs %d elements, the data has %d", shape, shape.Elements(), len(data))
	}
	return &Tensor{elementType: String, shape: slices.Clone(shape), strings: data}, nil
}

// TensorOfBytes returns a tensor over data, the bytes of its elements. Sub-byte types are
// packed as in the .bin. data may be longer than needed. The tensor shares data, or a copy of
// it if data is not aligned for the element type.
func TensorOfBytes(t ElementType, shape Shape, data []byte) (*Tensor, error) {
	size, err := ByteSize(t, shape)
	if err != nil {
		return nil, err
	}
	if t == String {
		return nil, faults.Errorf("a string tensor is not made of bytes")
	}
	if len(data) < size {
		return nil, faults.Errorf("%v%v needs %d bytes, the data has %d", t, shape, size, len(data))
	}
	data = data[:size:size]
	if align := uintptr(min(max(t.Size(), 1), 8)); size > 0 && uintptr(unsafe.Pointer(&data[0]))%align != 0 {
		aligned := AlignedBytes(size)
		copy(aligned, data)
		data = aligned
	}
	return &Tensor{elementType: t, shape: slices.Clone(shape), data: data}, nil
}

// Reset sets t to a tensor over data or, for String, over strings, which it shares. Both may be
// longer than needed. data must be aligned for the element type. Reset is for runtimes that
// reuse tensors without allocating: it overwrites the slice that Shape returned before.
func (t *Tensor) Reset(elementType ElementType, shape Shape, data []byte, strings []string) error {
	size, err := ByteSize(elementType, shape)
	if err != nil {
		return err
	}
	switch elements := shape.Elements(); {
	case elementType != String && len(data) < size:
		return faults.Errorf("%v%v needs %d bytes, the data has %d", elementType, slices.Clone(shape), size, len(data))
	case elementType != String:
		align := uintptr(min(max(elementType.Size(), 1), 8))
		if size > 0 && uintptr(unsafe.Pointer(&data[0]))%align != 0 {
			return faults.Errorf("the data is not aligned for element type %v", elementType)
		}
		t.data, t.strings = data[:size:size], nil
	case len(strings) < elements:
		return faults.Errorf("shape %v needs %d elements, the data has %d", slices.Clone(shape), elements, len(strings))
	default:
		t.data, t.strings = nil, strings[:elements:elements]
	}
	t.elementType, t.shape, t.deferred = elementType, append(t.shape[:0], shape...), nil
	return nil
}

// Share sets t to a tensor over the elements of from, with a shape of its own: a later Reset of
// from does not change t. Like Reset, it overwrites the slice that Shape returned before.
func (t *Tensor) Share(from *Tensor) {
	shape := append(t.shape[:0], from.shape...)
	*t = *from
	t.shape = shape
}

// Release makes t forget its elements, so that nothing refers to their memory through t. The type
// and the shape stay. It is for runtimes, which set the elements again with Reset.
func (t *Tensor) Release() { t.data, t.strings, t.deferred = nil, nil, nil }

// Clone returns a copy of t with memory of its own. Like NewTensor, it returns an error if the
// shape is too large for one.
func (t *Tensor) Clone() (*Tensor, error) {
	c, err := NewTensor(t.elementType, t.shape...)
	if err != nil {
		return nil, err
	}
	c.CopyFrom(t)
	return c, nil
}

// CopyFrom copies the elements of from, which must have the type and the number of elements of t.
func (t *Tensor) CopyFrom(from *Tensor) {
	copy(t.Bytes(), from.Bytes())
	copy(t.strings, from.strings)
}

// ElementType returns the type of the elements.
func (t *Tensor) ElementType() ElementType { return t.elementType }

// Shape returns the lengths of the axes. The slice is shared: do not change it.
func (t *Tensor) Shape() Shape { return t.shape }

// Len returns the number of elements. It is not inlined, as it has many callers.
//
//go:noinline
func (t *Tensor) Len() int { return t.shape.Elements() }

// Bytes returns the elements as bytes, shared with the tensor; nil for a string tensor. It is not
// inlined, as it is larger than a call and has hundreds of callers: a loop calls it before it
// starts.
//
//go:noinline
func (t *Tensor) Bytes() []byte {
	if t.deferred != nil {
		return t.deferred.Bytes()
	}
	return t.data
}

// Strings returns the elements of a string tensor, shared with the tensor.
func (t *Tensor) Strings() []string { return t.strings }

// Data returns the elements of t, shared with the tensor. T must have the size of the element
// type; Data panics if not.
func Data[T Element](t *Tensor) []T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	if t.elementType.Size() != size {
		panic(fmt.Sprintf("BUG: elements of %v read as %T", t.elementType, zero))
	}
	return cast.Bytes[T](t.Bytes())
}
