// Package cast converts slices to slices of another element type that share their memory.
// ir.Data does the same for tensors.
package cast

import "unsafe"

// Bytes returns the memory of b as elements of type T. T must not contain pointers, and b
// must be aligned for T. Bytes after the last whole element are ignored.
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
