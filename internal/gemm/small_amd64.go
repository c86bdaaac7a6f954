//go:build amd64 && !noasm

package gemm

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/gemm/tile"
)

// small is the argument of the functions that multiply small matrices. _asm/small.go depends on its
// layout.
type small struct {
	a, b, c             *float32
	stepA, stepB, stepC int // bytes from one row to the next
	rows, depth         int
	columns             uint64 // bit i: column i of the last vector is written
}

// smallRows is the number of rows of a tile for 1, 2, 3 and 4 vectors of columns; 0 means that
// there is no function.
var smallRows = [...]int{0, 0, 13, 9, 7}

// multiplySmall is MultiplySmall by assembly.
func multiplySmall(c []float32, a, b Matrix[float32], m, n, depth int) {
	// The assembly does not check bounds.
	_, _, _ = a.Data[(m-1)*a.RowStride+depth-1], b.Data[(depth-1)*b.RowStride+n-1], c[m*n-1]
	s := small{
		a: &a.Data[0], b: &b.Data[0], c: &c[0], stepA: 4 * a.RowStride, stepB: 4 * b.RowStride, stepC: 4 * n,
		rows: m, depth: depth, columns: 1<<((n-1)%16+1) - 1,
	}
	p := (*byte)(unsafe.Pointer(&s))
	switch (n + 15) / 16 {
	case 2:
		smallAVX512_2(p)
	case 3:
		smallAVX512_3(p)
	default:
		smallAVX512_4(p)
	}
}

// isSmall is IsSmall for rows without gaps.
func isSmall(t *Tiling, m, n, depth int) bool {
	vectors := (n + 15) / 16
	return t.ISA == tile.AVX512 && depth > 0 && vectors < len(smallRows) && smallRows[vectors] > 0 && m >= smallRows[vectors]
}
