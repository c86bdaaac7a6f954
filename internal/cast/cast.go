// Package cast converts slices to slices of another element type: those that share their memory, as
// ir.Data does for tensors, and, by Convert, the numbers in them.
package cast

import "unsafe"

// Bytes returns the memory of b as elements of type T. T must not contain pointers, and b must be
// aligned for T. Bytes after the last whole element are ignored. It is not inlined: the command
// would be 12 KiB larger, all of it tables for the stack traces of its hundreds of callers.
//
//go:noinline
func Bytes[T any](b []byte) []T {
	n := len(b) / int(unsafe.Sizeof(*new(T)))
	if n == 0 {
		return nil // a pointer to T must not point to less memory than a T
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// Slice returns the memory of s as elements of type T. T must have the size of S and must not
// need a larger alignment. If S contains pointers, T must be the same type as S. Otherwise T
// must not contain pointers.
func Slice[T, S any](s []S) []T {
	if unsafe.Sizeof(*new(T)) != unsafe.Sizeof(*new(S)) {
		panic("BUG: elements of two sizes")
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}

// Memory returns the memory of s as bytes. S must not contain pointers.
func Memory[S any](s []S) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(S))))
}

// Number is the constraint of the types that Convert converts.
type Number interface{ Integer | Float }

// Integer is the constraint of the integers that elements are.
type Integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// Float is the constraint of the types that Go computes with as floating-point numbers.
type Float interface{ float32 | float64 }

// Convert sets dst to the numbers of src, as Go converts them. dst is at least as long as src.
func Convert[D, S Number](dst []D, src []S) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = D(v)
	}
}
