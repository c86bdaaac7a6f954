package scatterelements

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
)

// operation applies one function at the located positions of a block:
//
//	out[at[r, c]] = f(out[at[r, c]], updates[r*pitch + c])
//
// in row-major order. at has rows*columns positions, each less than len(out).
type operation[T any] func(out []T, at []uint32, updates []T, columns, pitch int)

// apply is an operation on the memory of elements of some type.
type apply func(out []byte, at []uint32, updates []byte, columns, pitch int)

// applying returns f for the memory of elements. It is not inlined: copies of its closure would
// take 8.2 KiB.
//
//go:noinline
func applying[T any](f operation[T]) apply {
	return func(out []byte, at []uint32, updates []byte, columns, pitch int) {
		f(cast.Bytes[T](out), at, cast.Bytes[T](updates), columns, pitch)
	}
}

// The loops below do no bounds checks on the positions, which a locator has checked: a second
// check costs a third of the speed. They differ in one statement only. A function call for each
// element would cost more than all the rest.

// integer, unsigned, float, complexNumber and number are constraints of the Go types that
// arithmetic is done in.
type (
	integer interface {
		int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
	}
	unsigned interface {
		uint8 | uint16 | uint32 | uint64
	}
	float         interface{ float32 | float64 }
	complexNumber interface{ complex64 | complex128 }
	ordered       interface{ integer | float }
	number        interface{ ordered | complexNumber }
)

// element returns the element of out at position p, without a bounds check.
func element[T any](out unsafe.Pointer, p uint32) *T {
	var zero T
	return (*T)(unsafe.Add(out, uintptr(p)*unsafe.Sizeof(zero)))
}

// eight returns elements c to c+7 of x, without a bounds check.
func eight[T any](x []T, c int) *[8]T {
	var zero T
	return (*[8]T)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(x)), uintptr(c)*unsafe.Sizeof(zero)))
}

// set is f(x, y) = y.
func set[T any](out []T, at []uint32, updates []T, columns, pitch int) {
	first := unsafe.Pointer(unsafe.SliceData(out))
	for len(at) > 0 {
		row, to := updates[:columns], at[:columns]
		c := 0
		for ; c <= columns-8; c += 8 {
			p, y := eight(to, c), eight(row, c)
			*element[T](first, p[0]) = y[0]
			*element[T](first, p[1]) = y[1]
			*element[T](first, p[2]) = y[2]
			*element[T](first, p[3]) = y[3]
			*element[T](first, p[4]) = y[4]
			*element[T](first, p[5]) = y[5]
			*element[T](first, p[6]) = y[6]
			*element[T](first, p[7]) = y[7]
		}
		for ; c < columns; c++ {
			p := to[c]
			*element[T](first, p) = row[c]
		}
		at, updates = at[columns:], updates[min(pitch, len(updates)):]
	}
}

// add is f(x, y) = x + y.
func add[T number](out []T, at []uint32, updates []T, columns, pitch int) {
	first := unsafe.Pointer(unsafe.SliceData(out))
	for len(at) > 0 {
		row, to := updates[:columns], at[:columns]
		c := 0
		for ; c <= columns-8; c += 8 {
			p, y := eight(to, c), eight(row, c)
			*element[T](first, p[0]) += y[0]
			*element[T](first, p[1]) += y[1]
			*element[T](first, p[2]) += y[2]
			*element[T](first, p[3]) += y[3]
			*element[T](first, p[4]) += y[4]
			*element[T](first, p[5]) += y[5]
			*element[T](first, p[6]) += y[6]
			*element[T](first, p[7]) += y[7]
		}
		for ; c < columns; c++ {
			p := to[c]
			*element[T](first, p) += row[c]
		}
		at, updates = at[columns:], updates[min(pitch, len(updates)):]
	}
}

// multiply is f(x, y) = x * y.
func multiply[T number](out []T, at []uint32, updates []T, columns, pitch int) {
	first := unsafe.Pointer(unsafe.SliceData(out))
	for len(at) > 0 {
		row, to := updates[:columns], at[:columns]
		c := 0
		for ; c <= columns-8; c += 8 {
			p, y := eight(to, c), eight(row, c)
			*element[T](first, p[0]) *= y[0]
			*element[T](first, p[1]) *= y[1]
			*element[T](first, p[2]) *= y[2]
			*element[T](first, p[3]) *= y[3]
			*element[T](first, p[4]) *= y[4]
			*element[T](first, p[5]) *= y[5]
			*element[T](first, p[6]) *= y[6]
			*element[T](first, p[7]) *= y[7]
		}
		for ; c < columns; c++ {
			p := to[c]
			*element[T](first, p) *= row[c]
		}
		at, updates = at[columns:], updates[min(pitch, len(updates)):]
	}
}

// lower is f(x, y) = min(x, y), or NaN if one is NaN.
func lower[T ordered](out []T, at []uint32, updates []T, columns, pitch int) {
	first := unsafe.Pointer(unsafe.SliceData(out))
	for len(at) > 0 {
		row, to := updates[:columns], at[:columns]
		c := 0
		for ; c <= columns-8; c += 8 {
			p, y := eight(to, c), eight(row, c)
			*element[T](first, p[0]) = min(*element[T](first, p[0]), y[0])
			*element[T](first, p[1]) = min(*element[T](first, p[1]), y[1])
			*element[T](first, p[2]) = min(*element[T](first, p[2]), y[2])
			*element[T](first, p[3]) = min(*element[T](first, p[3]), y[3])
			*element[T](first, p[4]) = min(*element[T](first, p[4]), y[4])
			*element[T](first, p[5]) = min(*element[T](first, p[5]), y[5])
			*element[T](first, p[6]) = min(*element[T](first, p[6]), y[6])
			*element[T](first, p[7]) = min(*element[T](first, p[7]), y[7])
		}
		for ; c < columns; c++ {
			p := to[c]
			*element[T](first, p) = min(*element[T](first, p), row[c])
		}
		at, updates = at[columns:], updates[min(pitch, len(updates)):]
	}
}

// higher is f(x, y) = max(x, y), or NaN if one is NaN.
func higher[T ordered](out []T, at []uint32, updates []T, columns, pitch int) {
	first := unsafe.Pointer(unsafe.SliceData(out))
	for len(at) > 0 {
		row, to := updates[:columns], at[:columns]
		c := 0
		for ; c <= columns-8; c += 8 {
			p, y := eight(to, c), eight(row, c)
			*element[T](first, p[0]) = max(*element[T](first, p[0]), y[0])
			*element[T](first, p[1]) = max(*element[T](first, p[1]), y[1])
			*element[T](first, p[2]) = max(*element[T](first, p[2]), y[2])
			*element[T](first, p[3]) = max(*element[T](first, p[3]), y[3])
			*element[T](first, p[4]) = max(*element[T](first, p[4]), y[4])
			*element[T](first, p[5]) = max(*element[T](first, p[5]), y[5])
			*element[T](first, p[6]) = max(*element[T](first, p[6]), y[6])
			*element[T](first, p[7]) = max(*element[T](first, p[7]), y[7])
		}
		for ; c < columns; c++ {
			p := to[c]
			*element[T](first, p) = max(*element[T](first, p), row[c])
		}
		at, updates = at[columns:], updates[min(pitch, len(updates)):]
	}
}

// tally adds 1 at each position.
func tally(counts []uint32, at []uint32) {
	first := unsafe.Pointer(unsafe.SliceData(counts))
	for _, p := range at {
		*element[uint32](first, p)++
	}
}
