//go:build !noasm

package gemm

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

// bytesTile is the argument of the functions that multiply bytes. _neon/bytes.go depends on its
// layout.
type bytesTile struct {
	a             *uint8
	b             *int8
	c             *float32
	stepA, stepC  int // bytes from one row to the next
	depth         int
	sums          *int32
	scale, offset *float32
}

// BytesPay reports whether matrices of bytes are multiplied faster than those of float32.
func BytesPay() bool { return cpu.DotProd.Available() }

// multiply multiplies rows of a by the panel.
func (t *bytesPanel) multiply(c []float32, ldc int, a []uint8, stride, rows int) {
	if !cpu.DotProd.Available() {
		t.multiplyPortable(c, ldc, a, stride, rows)
		return
	}
	depth := len(t.weights) / BytesColumns
	// The assembly does not check bounds.
	_, _ = a[(rows-1)*stride+depth-1], c[(rows-1)*ldc+t.columns-1]
	tile := bytesTile{
		b: &t.weights[0], depth: depth, sums: &t.sums[0], scale: &t.scale[0], offset: &t.offset[0], stepA: stride, stepC: 4 * ldc,
	}
	var edge [3 * BytesColumns]float32 // of a panel with fewer columns
	for at := 0; at < rows; {
		size := min(3, rows-at)
		tile.a, tile.c = &a[at*stride], &c[at*ldc]
		if t.columns < BytesColumns {
			tile.c, tile.stepC = &edge[0], 4*BytesColumns
		}
		p := (*byte)(unsafe.Pointer(&tile))
		switch size {
		case 1:
			bytesNEON_1(p)
		case 2:
			bytesNEON_2(p)
		default:
			bytesNEON_3(p)
		}
		if t.columns < BytesColumns {
			for i := range size {
				copy(c[(at+i)*ldc:][:t.columns], edge[i*BytesColumns:])
			}
		}
		at += size
	}
}
