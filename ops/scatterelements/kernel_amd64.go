//go:build !noasm

package scatterelements

import (
	"math"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

//go:generate sh -c "cd _asm && go run . -out ../kernel_amd64.s -stubs ../kernel_stubs_amd64.go -pkg scatterelements"

// locateLanes is the least number of columns for the assembly. It equals lanes in the
// generator.
const locateLanes = 8

// hasAssembly reports whether the assembly can be called.
func hasAssembly() bool { return cpu.AVX2.Available() }

// assembly is a function in assembly. See locate32.
type assembly[I int32 | int64] func(at, offsets *uint32, indices *I, rows, columns, pitch, length, wrap int, scale, base uint32,
	ahead int, updates *byte, updatesPitch, updatesSize int) bool

// locateQuickly is locate by f. It returns false if f cannot handle the block, or if an index
// is out of range.
func locateQuickly[I int32 | int64](b *block, at []uint32, indices []I, f assembly[I]) bool {
	rows, columns := b.shape()
	if columns < locateLanes || b.length == 0 || b.length > math.MaxInt32 {
		return false
	}
	indices = indices[b.first:]
	// Check the bounds of what the function reads and writes.
	_, _, _ = at[rows*columns-1], b.offsets[rows*columns-1], indices[(rows-1)*b.pitch+columns-1]
	size := int(unsafe.Sizeof(indices[0]))
	return f(&at[0], &b.offsets[0], &indices[0], rows, columns, b.pitch, b.length, b.wrap, b.scale, b.base,
		b.ahead*size, (*byte)(b.prefetch.first), b.prefetch.pitch, b.prefetch.size)
}

// withAssembly returns f, or an equivalent function that uses assembly if there is some. name
// is "lower" or "higher". If both operands are zeros of different sign, the result may be
// either.
func withAssembly[T float](name string, f operation[T]) operation[T] {
	quick, ok := inAssembly(name, T(0)).(extremeFunction[T])
	if !ok || !cpu.AVX2.Available() {
		return f
	}
	return extreme(quick, f)
}

// inAssembly returns the extremeFunction of the type of element; nil if there is none.
func inAssembly(name string, element any) any {
	switch element.(type) {
	case float32:
		return map[string]extremeFunction[float32]{"lower": lower32, "higher": higher32}[name]
	case float64:
		return map[string]extremeFunction[float64]{"lower": lower64, "higher": higher64}[name]
	}
	return nil
}

// extremeFunction is a function in assembly. See lower32.
type extremeFunction[T float] func(out *T, at *uint32, updates *T, n int) bool

// extreme calls quick for the elements of each row that it can handle, and f for the rest.
func extreme[T float](quick extremeFunction[T], f operation[T]) operation[T] {
	return func(out []T, at []uint32, updates []T, columns, pitch int) {
		for len(at) > 0 {
			row, to := updates[:columns], at[:columns]
			if n := columns &^ (locateLanes - 1); n > 0 && quick(&out[0], &to[0], &row[0], n) {
				row, to = row[n:], to[n:]
			}
			f(out, to, row, len(to), 0)
			at, updates = at[columns:], updates[min(pitch, len(updates)):]
		}
	}
}
