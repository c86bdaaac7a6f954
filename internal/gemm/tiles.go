//go:build amd64 && !noasm

package gemm

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
)

// tile is what a micro-kernel of the assembly works on: a panel of a and one of b,
// which it multiplies into rows of c,
//
//	c[i*ldc + j] = sum over p of a[p*MR + i]*b[p*NR + j]
//
// to which it adds what flags and the biases say.
type tile struct {
	a, b, c             *float32
	depth               int
	ldc                 int      // in bytes
	rowBias, columnBias *float32 // nil: none
	flags               uint64
	columns             uint64 // the columns of the last vector that are written, a bit for each
	lo, hi              float32
	mask                [8]int32 // the same columns as lanes, -1 for each
	ahead               *float32 // a part of the next panel of b, to be fetched
	rows                int      // of a micro-kernel of columns
}

// The bits of tile.flags, as in _asm/tile.go.
const (
	flagAdd   = 1 << iota // add to c
	flagClamp             // to lo and hi, at the end
	flagPart              // the last vector is not written whole
)

// multiplyTiles is MultiplyThen of a block of depth d in assembly. T is float32.
func (k *Kernel[T]) multiplyTiles(c []T, ldc int, a, b []T, d int, add bool, mLo, mHi, nLo, nHi int, e *Epilogue[T]) {
	// The assembly checks nothing.
	_, _, _ = a[(mHi+k.MR-1)/k.MR*k.MR*d-1], b[(nHi+k.NR-1)/k.NR*k.NR*d-1], c[(mHi-1)*ldc+nHi-1]
	t := tile{depth: d, ldc: 4 * ldc}
	var rowBias, columnBias []float32
	if add {
		t.flags = flagAdd
	}
	if e != nil {
		rowBias, columnBias = cast.Slice[float32](e.RowBias), cast.Slice[float32](e.ColumnBias)
		if e.Clamp {
			t.flags |= flagClamp
			t.lo, t.hi = float32(e.Lo), float32(e.Hi)
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
		few := 0 // columns behind the last eight that are multiplied as columns
		if n := columns % 8; n <= k.isa.few() {
			few = n
		}
		eights := t.setColumns(columns-few, k.NR/8)
		t.b = (*float32)(unsafe.Pointer(&b[n*d]))
		if columnBias != nil {
			t.columnBias = &columnBias[n]
		}
		next, end := (n+k.NR)*d, (n+2*k.NR)*d // the panel behind this one
		if n+k.NR >= nHi {
			next = end
		}
		for m := mLo; m < mHi; m += k.MR {
			t.ahead = t.b // there already
			if next < end {
				t.ahead = (*float32)(unsafe.Pointer(&b[next]))
				next += d * k.NR / fetchShare(m+k.MR <= mHi)
			}
			t.a = (*float32)(unsafe.Pointer(&a[m*d]))
			t.c = (*float32)(unsafe.Pointer(&c[m*ldc+n]))
			if rowBias != nil {
				t.rowBias = &rowBias[m]
			}
			t.rows = min(k.MR, mHi-m)
			if columns > few {
				k.isa.run(&t, t.rows, eights)
			}
			if few > 0 {
				k.isa.runColumns(t, columns-few, few)
			}
		}
	}
}

// few returns the number of columns up to which there is a micro-kernel whose vectors
// are columns: a vector of a row would be empty for the most part.
func (i isa) few() int {
	if i == avx512 {
		return 3
	}
	return 1
}

// runColumns runs the micro-kernel of a few columns from first on.
func (i isa) runColumns(t tile, first, columns int) {
	t.b = (*float32)(unsafe.Add(unsafe.Pointer(t.b), 4*first))
	t.c = (*float32)(unsafe.Add(unsafe.Pointer(t.c), 4*first))
	if t.columnBias != nil {
		t.columnBias = (*float32)(unsafe.Add(unsafe.Pointer(t.columnBias), 4*first))
	}
	if p := (*byte)(unsafe.Pointer(&t)); i == avx512 {
		runColumnsAVX512(p, columns)
	} else {
		runColumnsAVX2(p, columns)
	}
}

// fetchShare returns which part of a panel of b a micro-kernel fetches, of all rows
// or of fewer: linesAhead of _asm/tile.go.
func fetchShare(allRows bool) int {
	if allRows {
		return 4
	}
	return 1
}

// setColumns sets what is written of the last vector, and returns the number of
// eights of columns that the micro-kernel has.
func (t *tile) setColumns(columns, eights int) int {
	n := (columns + 7) / 8
	if n == 0 {
		return 0
	}
	last, lanes := columns-8*(n-1), 8 // of the last vector
	if eights == 4 && n%2 == 0 {      // AVX512
		last, lanes = last+8, 16
	}
	t.columns = 1<<last - 1
	t.flags &^= flagPart
	if last < lanes {
		t.flags |= flagPart
	}
	for i := range t.mask {
		t.mask[i] = 0
		if i < last {
			t.mask[i] = -1
		}
	}
	return n
}
