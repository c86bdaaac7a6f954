//go:build !noasm

package tile

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

// HasHalfSums reports whether there is assembly for NewHalves.
func HasHalfSums() bool { return cpu.FP16.Available() }

// halvesTile is the argument of the micro-kernels of pairs of f16. _neon/halves.go depends on its
// layout.
type halvesTile struct {
	a, b, c             *float32
	depth               int
	stepC               int      // bytes from one row of c to the next
	rowBias, columnBias *float32 // nil adds nothing
	flags               uint64
	lo, hi              float32
}

// The bits of halvesTile.flags, as in _neon/halves.go.
const (
	halvesAdd    = 1 << iota // add what c held
	halvesFinish             // add the biases and clamp at the end
	halvesClamp              // clamp to lo and hi
)

// multiplyHalfTiles is MultiplyThen by assembly for pairs of f16, for a block of depth d. It adds
// to c if add is true.
func multiplyHalfTiles(k *Tiling, block *Block[float32]) {
	c, ldc, a, b, d, add := block.C, block.LDC, block.A, block.B, block.Depth, block.Add
	mLo, mHi, nLo, nHi, e := block.MLo, block.MHi, block.NLo, block.NHi, block.Epilogue
	// The assembly does not check bounds.
	_, _, _ = a[(mHi+k.MR-1)/k.MR*k.MR*d-1], b[(nHi+k.NR-1)/k.NR*k.NR*d-1], c[(mHi-1)*ldc+nHi-1]
	t := halvesTile{depth: d, stepC: 4 * ldc}
	if add {
		t.flags = halvesAdd
	}
	var rowBias, columnBias []float32
	if e != nil {
		rowBias, columnBias = e.RowBias, e.ColumnBias
		t.flags |= halvesFinish
		if e.Clamp {
			t.flags |= halvesClamp
			t.lo, t.hi = e.Lo, e.Hi
		}
	}
	if rowBias != nil {
		_ = rowBias[mHi-1]
	}
	if columnBias != nil {
		_ = columnBias[nHi-1]
	}
	for n := nLo; n < nHi; n += k.NR {
		columns := min(k.NR, nHi-n)
		t.b = &b[n*d]
		if columnBias != nil {
			t.columnBias = &columnBias[n]
		}
		for m := mLo; m < mHi; {
			row := m % k.MR // a panel with fewer rows has several tiles
			rows := quadRows(min(k.MR-row, mHi-m))
			t.a = &a[(m-row)*d+row]
			if rowBias != nil {
				t.rowBias = &rowBias[m]
			}
			if columns%8 == 0 {
				t.c = &c[m*ldc+n]
				t.run(rows, columns/8)
			} else {
				t.multiplyEdge(c[m*ldc+n:], ldc, columnBias[min(n, len(columnBias)):], rows, columns)
			}
			m += rows
		}
	}
}

// multiplyEdge computes a tile whose last vector is partly in c, in memory of its own. The tile is
// a copy: that memory would escape to the heap with a pointer to it in the tile of the caller.
func (t halvesTile) multiplyEdge(c []float32, ldc int, columnBias []float32, rows, columns int) {
	var edge [halvesMR * halvesNR]float32
	var bias [halvesNR]float32
	t.c, t.stepC = &edge[0], 4*halvesNR
	if t.flags&halvesAdd != 0 {
		for i := range rows {
			copy(edge[i*halvesNR:][:columns], c[i*ldc:])
		}
	}
	if t.columnBias != nil {
		copy(bias[:columns], columnBias)
		t.columnBias = &bias[0]
	}
	t.run(rows, (columns+7)/8)
	for i := range rows {
		copy(c[i*ldc:][:columns], edge[i*halvesNR:])
	}
}

// run runs the micro-kernel for a number of rows and of vectors of eight columns. With a table of
// functions, the tile would escape to the heap.
func (t *halvesTile) run(rows, vectors int) {
	p := (*byte)(unsafe.Pointer(t))
	switch vectors<<4 | rows {
	case 1<<4 | 1:
		halvesNEON_1x8(p)
	case 1<<4 | 2:
		halvesNEON_2x8(p)
	case 1<<4 | 4:
		halvesNEON_4x8(p)
	case 1<<4 | 8:
		halvesNEON_8x8(p)
	case 2<<4 | 1:
		halvesNEON_1x16(p)
	case 2<<4 | 2:
		halvesNEON_2x16(p)
	case 2<<4 | 4:
		halvesNEON_4x16(p)
	case 2<<4 | 8:
		halvesNEON_8x16(p)
	case 3<<4 | 1:
		halvesNEON_1x24(p)
	case 3<<4 | 2:
		halvesNEON_2x24(p)
	case 3<<4 | 4:
		halvesNEON_4x24(p)
	case 3<<4 | 8:
		halvesNEON_8x24(p)
	}
}
