// Package gatherscatter moves rows of a tensor by index, for the scatter and gather families.
// A row is the elements that stand together behind an indexed axis; it is moved as
// one integer where it has the size of one, and as bytes otherwise, whatever its
// element type.
package gatherscatter

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/ir"
)

// Kind is the type of the units that rows are moved in.
type Kind uint8

// The kinds: elements of less than a byte, integers of 1 to 16 bytes, strings.
const (
	Packed Kind = iota
	U8
	U16
	U32
	U64
	U96
	U128
	Strings
)

// Uint96 is a unit of 12 bytes, such as a point of three float32.
type Uint96 [3]uint32

// Uint128 is a unit of 16 bytes.
type Uint128 [2]uint64

// Layout is how the rows of a tensor are moved: in N units of one kind.
type Layout struct {
	Kind Kind
	N    int
}

// NewLayout returns the layout of rows of n elements of type t. The product of n and the
// element's size fits an int.
func NewLayout(t ir.ElementType, n int) Layout {
	if t == ir.String {
		return Layout{Strings, n}
	}
	size, ok := t.RowBytes(n)
	if !ok {
		return Layout{Packed, n}
	}
	switch size {
	case 2:
		return Layout{U16, 1}
	case 4:
		return Layout{U32, 1}
	case 8:
		return Layout{U64, 1}
	case 12:
		return Layout{U96, 1}
	case 16:
		return Layout{U128, 1}
	}
	return Layout{U8, size}
}

// Size returns the bytes of a unit of kind k, and 0 for Packed and Strings.
func (k Kind) Size() int {
	switch k {
	case U8:
		return 1
	case U16:
		return 2
	case U32:
		return 4
	case U64:
		return 8
	case U96:
		return 12
	case U128:
		return 16
	}
	return 0
}

// RowBytes returns the bytes of a row; 0 for Packed, and those of the headers for
// Strings: a measure of the work.
func (l Layout) RowBytes() int {
	if l.Kind == Strings {
		return l.N * int(unsafe.Sizeof(""))
	}
	return l.N * l.Kind.Size()
}

// Grain returns the number of rows that are worth a thread, for rows of size bytes.
func Grain(size int) int { return max(grainBytes/max(size, 8), 1) }

// grainBytes is what a thread moves in the time that it takes to wake it up. Small
// rows cost as much as longer ones.
const grainBytes = 1 << 18

// Elements returns the memory of t in units of type T. Where those are wider than
// its elements, ask Aligned before.
func Elements[T any](t *ir.Tensor) []T { return cast.Bytes[T](t.Bytes()) }

// Aligned reports whether the memory of all tensors suits units of kind k: they
// are wider than the elements where a row of several is one unit.
func (k Kind) Aligned(tensors ...*ir.Tensor) bool {
	mask := uintptr(0)
	switch k {
	case U16:
		mask = 1
	case U32, U96:
		mask = 3
	case U64, U128:
		mask = 7
	}
	for _, t := range tensors {
		if uintptr(unsafe.Pointer(unsafe.SliceData(t.Bytes())))&mask != 0 {
			return false
		}
	}
	return true
}
