//go:build amd64 && !noasm

package gemm

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/gemm/pack"
	"github.com/vinoir/vinoir/internal/gemm/tile"
)

// bytesTile is the argument of the functions that multiply bytes. _asm/bytes.go depends on its
// layout.
type bytesTile struct {
	a             *uint8
	b             *int8
	c             *float32
	scale, offset *float32
	stepA, stepC  int // bytes from one row to the next
	tiles         int // below each other
	quads         int
	columns       uint64 // bit i: column i is written; AVX-VNNI writes all
}

// BytesPay reports whether matrices of bytes are multiplied faster than those of float32.
func BytesPay() bool { return pack.HasVNNI() || pack.HasWords() }

// multiply multiplies rows of a by the panel.
func (t *bytesPanel) multiply(c []float32, ldc int, a []uint8, stride, rows int) {
	if !pack.HasVNNI() {
		t.multiplyPortable(c, ldc, a, stride, rows)
		return
	}
	depth := len(t.weights) / BytesColumns
	if tile.AMXRowsPay(rows, depth/bytesQuad) {
		t.multiplyAMX(c, ldc, a, stride, rows)
		return
	}
	// The assembly does not check bounds.
	_, _ = a[(rows-1)*stride+depth-1], c[(rows-1)*ldc+t.columns-1]
	tile := bytesTile{
		b: &t.weights[0], scale: &t.scale[0], offset: &t.offset[0], stepA: stride, stepC: 4 * ldc,
		quads: depth / bytesQuad, columns: 1<<t.columns - 1,
	}
	switch {
	case !cpu.AVX512VNNI.Available():
		tile.multiplyAVXVNNI(c, ldc, a, stride, rows, t.columns)
		return
	case rows == 1: // a short product, for which the loop takes long
		tile.a, tile.c, tile.tiles = &a[0], &c[0], 1
		bytesVNNI_1((*byte)(unsafe.Pointer(&tile)))
		return
	}
	for at := 0; at < rows; {
		size := bytesRows(rows-at, rows)
		tile.tiles = max((rows-at)/size, 1)
		at = min(at, rows-size) // the last tile may overlap the one before
		tile.a, tile.c = &a[at*stride], &c[at*ldc]
		runBytes((*byte)(unsafe.Pointer(&tile)), size)
		at += tile.tiles * size
	}
}

// multiplyAVXVNNI is multiply by AVX-VNNI.
func (t bytesTile) multiplyAVXVNNI(c []float32, ldc int, a []uint8, stride, rows, columns int) {
	var edge [3 * BytesColumns]float32 // a tile
	for at := 0; at < rows; {
		size := min(rows-at, 3)
		t.a, t.c, t.tiles = &a[at*stride], &c[at*ldc], (rows-at)/size
		if columns < BytesColumns {
			t.c, t.stepC, t.tiles = &edge[0], 4*BytesColumns, 1
		}
		switch p := (*byte)(unsafe.Pointer(&t)); size {
		case 1:
			bytesAVXVNNI_1(p)
		case 2:
			bytesAVXVNNI_2(p)
		default:
			bytesAVXVNNI_3(p)
		}
		if columns < BytesColumns {
			for i := range size {
				copy(c[(at+i)*ldc:][:columns], edge[i*BytesColumns:])
			}
		}
		at += t.tiles * size
	}
}

// multiplyAMX is multiply with tiles of AMX. The rows of a are tiles where they are.
func (t *bytesPanel) multiplyAMX(c []float32, ldc int, a []uint8, stride, rows int) {
	depth := len(t.weights) / BytesColumns
	// The assembly does not check bounds.
	_, _ = a[(rows-1)*stride+depth-1], c[(rows-1)*ldc+t.columns-1]
	var edge [tile.AMXRows * BytesColumns]Sum
	out := cast.Slice[Sum](c)
	for m := 0; m < rows; m += tile.AMXRows {
		n := min(tile.AMXRows, rows-m)
		sums, step := edge[:], BytesColumns
		if t.columns == BytesColumns {
			sums, step = out[m*ldc:], ldc
		}
		tile.MultiplyAMXRows(sums, step, a[m*stride:], stride, n, t.weights)
		for i := range n {
			row := sums[i*step:][:BytesColumns]
			pack.ScaleSums(row, t.scale, t.offset)
			if t.columns < BytesColumns {
				copy(out[(m+i)*ldc:][:t.columns], row)
			}
		}
	}
}

// bytesRows returns the number of rows of the next tile if some rows are left of all: the smallest
// one that has room for them, otherwise the largest one.
func bytesRows(left, all int) int {
	sizes := [...]int{1, 2, 4, 8, 12}
	best := 1
	for _, size := range sizes {
		if size > all {
			break
		}
		best = size
		if size >= left {
			break
		}
	}
	return best
}

// runBytes runs the function for a number of rows.
func runBytes(t *byte, rows int) {
	switch rows {
	case 1:
		bytesVNNI_1(t)
	case 2:
		bytesVNNI_2(t)
	case 4:
		bytesVNNI_4(t)
	case 8:
		bytesVNNI_8(t)
	default:
		bytesVNNI_12(t)
	}
}
