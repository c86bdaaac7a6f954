// Package memory allocates the large buffers of models: constants, packed weights
// and arenas.
package memory

import (
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

// Of is Bytes for n zero elements of type T. T must not contain pointers.
func Of[T any](n int) []T { return cast.Bytes[T](Bytes(n * int(unsafe.Sizeof(*new(T))))) }

const (
	// hugePage is the size of a huge page of amd64, and of arm64 with small pages of 4 KiB.
	hugePage = 2 << 20
	// minHuge is the size of the smallest buffer in huge pages.
	minHuge = 2 * hugePage
)
