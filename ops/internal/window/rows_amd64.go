//go:build amd64 && !noasm

package window

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

//go:generate sh -c "cd _asm && go run . -out ../rows_amd64.s -stubs ../rows_stubs_amd64.go -pkg window"

// vectorRow is AddRow for contiguous elements. It returns false if there is no vector code.
func vectorRow[T float32 | float64](out, in []T, weight T) bool {
	if unsafe.Sizeof(weight) != 4 || len(out) == 0 || !cpu.FMA.Available() {
		return false
	}
	_ = in[len(out)-1] // the assembly does no bounds checks
	addRows1(float(out), float(in), float32(weight), len(out))
	return true
}

// vectorRows is AddRows for contiguous elements. It returns false if there is no vector code.
func vectorRows[T float32 | float64](out, a, b, c, d []T, w [RowsAtOnce]T) bool {
	n := len(out)
	if unsafe.Sizeof(w[0]) != 4 || n == 0 || !cpu.FMA.Available() {
		return false
	}
	_, _, _, _ = a[n-1], b[n-1], c[n-1], d[n-1]
	addRows4(float(out), float(a), float(b), float(c), float(d), float32(w[0]), float32(w[1]), float32(w[2]), float32(w[3]), n)
	return true
}

// float returns the address of a row of float32, which must not be empty.
func float[T any](row []T) *float32 { return (*float32)(unsafe.Pointer(&row[0])) }
