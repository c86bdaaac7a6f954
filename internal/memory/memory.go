// Package memory allocates the large buffers of models: constants, packed weights
// and arenas.
package memory

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
)

// Align is a cache line, at which buffers start.
const Align = 64

// Bytes returns n zero bytes that start at a cache line. Where the system has pages
// of megabytes for those who ask, large buffers do: it hands them out hundreds of
// times faster than as many small ones, and finds what lies in them sooner.
func Bytes(n int) []byte {
	if n == 0 {
		return nil
	}
	b := make([]byte, n+Align-1)
	skip := -int(uintptr(unsafe.Pointer(&b[0]))) & (Align - 1)
	b = b[skip : skip+n : skip+n]
	if n >= worthHuge {
		adviseHuge(b)
	}
	return b
}

// Padded returns n elements rounded up to whole cache lines, so that what follows them
// starts at one.
func Padded[T any](n int) int {
	line := Align / int(unsafe.Sizeof(*new(T)))
	return (n + line - 1) &^ (line - 1)
}

// Of returns n zero elements of a type that holds no pointers, as Bytes does.
func Of[T any](n int) []T { return cast.Bytes[T](Bytes(n * int(unsafe.Sizeof(*new(T))))) }

const (
	hugePage  = 2 << 20 // of amd64 and arm64, with small pages of 4 KiB
	worthHuge = 2 * hugePage
)
