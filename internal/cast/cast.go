// Package cast looks at memory as elements of another type. It is the place where
// slices change their type without a copy; ir.Data does so for tensors.
package cast

import "unsafe"

// Bytes returns b as elements of type T, which holds no pointers. b must be aligned
// for T. Bytes behind the last whole element are left out.
func Bytes[T any](b []byte) []T {
	n := len(b) / int(unsafe.Sizeof(*new(T)))
	if n == 0 {
		return nil // the memory behind b may be shorter than a T
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// Slice returns s as elements of type T, which has the size of S and needs no
// wider alignment. Either both types hold pointers, and are the same, or none does.
func Slice[T, S any](s []S) []T {
	if unsafe.Sizeof(*new(T)) != unsafe.Sizeof(*new(S)) {
		panic("BUG: elements of two sizes")
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}
