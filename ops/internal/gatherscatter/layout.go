// Package gatherscatter moves rows of tensors by index, for the gather and scatter families. A row
// holds the contiguous elements after an indexed axis. Whatever the element type is, a row is moved
// as one integer if it has the size of one, and as bytes otherwise. Strings and elements of less
// than a byte are moved one by one.
package gatherscatter

import (
	"unsafe"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Kind is the type of the units in which rows are moved.
type Kind uint8

// The kinds of units: elements of less than a byte, integers of 1 to 16 bytes, strings.
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

// Layout describes how the rows of a tensor are moved: as N units of one kind.
type Layout struct {
	Kind Kind
	N    int
}

// NewLayout returns the layout of rows of n elements of type t. n times the size of an element
// must fit an int.
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

// Size returns the number of bytes of a unit, or 0 for Packed and Strings.
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

// RowBytes returns the number of bytes of a row as a measure of the work: 0 for Packed, and the
// size of the string headers for Strings. It is not inlined: its callers would be 1.9 KiB larger.
//
//go:noinline
func (l Layout) RowBytes() int {
	if l.Kind == Strings {
		return l.N * int(unsafe.Sizeof(""))
	}
	return l.N * l.Kind.Size()
}

// Grain returns the number of rows of the given size in bytes that are worth another thread. Rows
// of less than 8 bytes take as long as rows of 8 bytes.
func Grain(size int) int { return ops.Grain(ops.CopyCost * float64(max(size, 8))) }

// Aligned reports whether the memory of all tensors is aligned for units of kind k. It may not
// be if a unit is a row of several elements.
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
