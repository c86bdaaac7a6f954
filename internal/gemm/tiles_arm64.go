//go:build !noasm

package gemm

import "unsafe"

// tile is the argument of the micro-kernels in assembly. _neon/gen.go depends on its layout. A
// micro-kernel multiplies a panel of a by a panel of b:
//
//	c[i*ldc + j] = sum over p of a[p*MR + i]*b[p*NR + j]
//
// It then adds the biases, and does what flags specifies.
type tile struct {
	a, b, c             *float32
	depth               int
	ldc                 int      // in bytes
	rowBias, columnBias *float32 // nil adds nothing
	flags               uint64
	lo, hi              float32
}

// The bits of tile.flags, as in _neon/gen.go.
const (
	flagAdd   = 1 << iota // add what c held
	flagClamp             // clamp to lo and hi at the end
)

// multiplyTiles is MultiplyThen by assembly, for a block of depth d. It adds to c if add is true.
func multiplyTiles(k *Tiling, c []float32, ldc int, a, b []float32, d int, add bool, mLo, mHi, nLo, nHi int, e *Epilogue[float32]) {
	// The assembly does not check bounds.
	_, _, _ = a[(mHi+k.MR-1)/k.MR*k.MR*d-1], b[(nHi+k.NR-1)/k.NR*k.NR*d-1], c[(mHi-1)*ldc+nHi-1]
	t := tile{depth: d, ldc: 4 * ldc}
	rowBias, columnBias := t.start(add, mHi, nHi, e)
	for n := nLo; n < nHi; n += k.NR {
		columns := min(k.NR, nHi-n)
		t.b = &b[n*d]
		if columnBias != nil {
			t.columnBias = &columnBias[n]
		}
		for m := mLo; m < mHi; m += k.MR {
			rows := min(k.MR, mHi-m)
			t.a = &a[m*d]
			if rowBias != nil {
				t.rowBias = &rowBias[m]
			}
			if columns%4 > 0 {
				t.partial(c[m*ldc+n:], ldc, columnBias[min(n, len(columnBias)):], rows, columns)
				continue
			}
			t.c = &c[m*ldc+n]
			t.run(rows, columns/4)
		}
	}
}

// partial computes a tile whose last vector is partly in c, in memory of its own.
func (t *tile) partial(c []float32, ldc int, columnBias []float32, rows, columns int) {
	var edge [maxEdge]float32
	var bias [12]float32
	width := (columns + 3) / 4 * 4
	own := *t
	own.c, own.ldc = &edge[0], 4*width
	if t.flags&flagAdd != 0 {
		for i := range rows {
			copy(edge[i*width:][:columns], c[i*ldc:])
		}
	}
	if t.columnBias != nil {
		copy(bias[:columns], columnBias)
		own.columnBias = &bias[0]
	}
	own.run(rows, width/4)
	for i := range rows {
		copy(c[i*ldc:][:columns], edge[i*width:])
	}
}

// run runs the micro-kernel for a number of rows and of vectors of four columns. With a table of functions, the tile would
// escape to the heap.
func (t *tile) run(rows, vectors int) {
	p := (*byte)(unsafe.Pointer(t))
	switch vectors<<4 | rows {
	case 1<<4 | 1:
		tileNEON_1x4(p)
	case 1<<4 | 2:
		tileNEON_2x4(p)
	case 1<<4 | 3:
		tileNEON_3x4(p)
	case 1<<4 | 4:
		tileNEON_4x4(p)
	case 1<<4 | 5:
		tileNEON_5x4(p)
	case 1<<4 | 6:
		tileNEON_6x4(p)
	case 1<<4 | 7:
		tileNEON_7x4(p)
	case 1<<4 | 8:
		tileNEON_8x4(p)
	case 2<<4 | 1:
		tileNEON_1x8(p)
	case 2<<4 | 2:
		tileNEON_2x8(p)
	case 2<<4 | 3:
		tileNEON_3x8(p)
	case 2<<4 | 4:
		tileNEON_4x8(p)
	case 2<<4 | 5:
		tileNEON_5x8(p)
	case 2<<4 | 6:
		tileNEON_6x8(p)
	case 2<<4 | 7:
		tileNEON_7x8(p)
	case 2<<4 | 8:
		tileNEON_8x8(p)
	case 3<<4 | 1:
		tileNEON_1x12(p)
	case 3<<4 | 2:
		tileNEON_2x12(p)
	case 3<<4 | 3:
		tileNEON_3x12(p)
	case 3<<4 | 4:
		tileNEON_4x12(p)
	case 3<<4 | 5:
		tileNEON_5x12(p)
	case 3<<4 | 6:
		tileNEON_6x12(p)
	case 3<<4 | 7:
		tileNEON_7x12(p)
	case 3<<4 | 8:
		tileNEON_8x12(p)
	}
}

// EndsInFew reports whether the last columns of so many are so few that they have a micro-kernel of their own: there is none.
func (t *Tiling) EndsInFew(_ int, _ bool) bool { return false }
