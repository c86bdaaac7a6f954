//go:build amd64 && !noasm

package window

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

//go:generate sh -c "cd _asm && go run . -out ../rows_amd64.s -stubs ../rows_stubs_amd64.go -pkg window"

// vectorRow is AddRow of elements side by side; false where there is no code for it.
func vectorRow[T float32 | float64](out, in []T, weight T) bool {
	if unsafe.Sizeof(weight) != 4 || len(out) == 0 || !cpu.FMA.Available() {
		return false
	}
	_ = in[len(out)-1] // the assembly checks nothing
	addRows1(float(out), float(in), float32(weight), len(out))
	return true
}

// vectorRows is AddRows of elements side by side; false where there is no code for
// it.
func vectorRows[T float32 | float64](out, a, b, c, d []T, w [RowsAtOnce]T) bool {
	n := len(out)
	if unsafe.Sizeof(w[0]) != 4 || n == 0 || !cpu.FMA.Available() {
		return false
	}
	_, _, _, _ = a[n-1], b[n-1], c[n-1], d[n-1]
	addRows4(float(out), float(a), float(b), float(c), float(d), float32(w[0]), float32(w[1]), float32(w[2]), float32(w[3]), n)
	return true
}

// float returns where the float32 of a row that has some are.
func float[T any](row []T) *float32 { return (*float32)(unsafe.Pointer(&row[0])) }
