// Package memory allocates the large buffers of models: constants, packed weights
// and arenas.
package memory

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
)

// Align is the alignment of buffers in bytes: the size of a cache line.
const Align = 64

// Bytes returns n zero bytes that start at a multiple of Align, or nil if n is 0. For large
// buffers it asks the system for huge pages: they cause fewer page faults and fewer TLB
// misses.
func Bytes(n int) []byte {
	if n == 0 {
		return nil
	}
	b := make([]byte, n+Align-1)
	skip := -int(uintptr(unsafe.Pointer(&b[0]))) & (Align - 1)
	b = b[skip : skip+n : skip+n]
	if n >= minHuge {
		adviseHuge(b)
	}
	return b
}

// Padded returns n rounded up to a number of elements that fill whole cache lines. What
// follows them in a buffer then starts at a cache line. The size of T must be a power of two
// up to Align.
func Padded[T any](n int) int {
	line := Align / int(unsafe.Sizeof(*new(T)))
	return (n + line - 1) &^ (line - 1)
}

// Size returns the bytes of a table of elements of type T with the given lengths, or math.MaxInt64
// if they do not fit an int64. No length may be negative.
func Size[T any](lengths ...int) int64 { return product(uint64(unsafe.Sizeof(*new(T))), lengths) }

// product returns size times the lengths. It does not know T, so there is one for all types.
//
//go:noinline
func product(size uint64, lengths []int) int64 {
	over := uint64(0)
	for _, n := range lengths {
		if n == 0 {
			return 0
		}
		var more uint64
		more, size = bits.Mul64(size, uint64(n))
		over |= more
	}
	if over != 0 || size > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(size)
}

// Sum returns the sum of sizes, or math.MaxInt64 if it does not fit an int64. It is not inlined: a
// checked loop is larger than a call.
//
//go:noinline
func Sum(sizes ...int64) int64 {
	total := int64(0)
	for _, n := range sizes {
		if n > math.MaxInt64-total {
			return math.MaxInt64
		}
		total += n
	}
	return total
}

// Of is Bytes for n zero elements of type T. T must not contain pointers.
func Of[T any](n int) []T { return cast.Bytes[T](Bytes(n * int(unsafe.Sizeof(*new(T))))) }

const (
	// hugePage is the size of a huge page of amd64, and of arm64 with small pages of 4 KiB.
	hugePage = 2 << 20
	// minHuge is the size of the smallest buffer in huge pages.
	minHuge = 2 * hugePage
)
