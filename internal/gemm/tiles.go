//go:build amd64 && !noasm

package gemm

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

// tile is the argument of the micro-kernels in assembly. _asm/tile.go depends on its layout. A
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
	columns             uint64 // bit i: column i of the last vector is written
	lo, hi              float32
	mask                [8]int32 // the same for AVX2: -1 for each column that is written
	ahead               *float32 // a part of the next panel of b, which is prefetched
	rows                int      // rows of c, for micro-kernels whose vectors are columns
	rowScale            *float32 // of quads: nil writes sums as they are
	flip                uint32   // of quads
	bytes               *uint8   // of quads: where the results are written in the place of c, as bytes, if it is not nil
	stepBytes           int      // from one row of these to the next
	rowStart            *int32   // of quads of i16: nil adds nothing
	tiles               int      // of quads of i16: tiles with all rows below each other that are written as whole vectors of bytes
	levelScale          *float32 // of quads, of each row: if it is not nil, bytes are levels, for which results are multiplied by it
	levelShift          *float32 // of quads, of each row: what is added then
	levelSlope          *float32 // of quads, of each row: if it is not nil, negative results are multiplied by it before
	levelMax            float32  // of quads: the largest level
}

// The bits of tile.flags, as in _asm/tile.go.
const (
	flagAdd     = 1 << iota // add what c held
	flagClamp               // clamp to lo and hi at the end
	flagPartial             // only a part of the last vector is written
	flagHSwish              // replace x by x*(min(max(x+3, 0), 6)/6) before levels are computed
)

// multiplyTiles is MultiplyThen by assembly, for a block of depth d. It adds to c if add is true.
func multiplyTiles(k *Tiling, c []float32, ldc int, a, b []float32, d int, add bool, mLo, mHi, nLo, nHi int, e *Epilogue[float32]) {
	// The assembly does not check bounds.
	_, _, _ = a[(mHi+k.MR-1)/k.MR*k.MR*d-1], b[(nHi+k.NR-1)/k.NR*k.NR*d-1], c[(mHi-1)*ldc+nHi-1]
	t := tile{depth: d, ldc: 4 * ldc}
	rowBias, columnBias := t.start(add, mHi, nHi, e)
	if k.isa.isAMX() {
		product := amxBF16PS
		if k.isa == amxF16 {
			product = amxFP16PS
		}
		t.multiplyAMX(product, c, ldc, a, b, add, true, mLo, mHi, nLo, nHi, nil, e)
		return
	}
	for n := nLo; n < nHi; n += k.NR {
		columns := min(k.NR, nHi-n)
		few := k.few(columns) // last columns, for the micro-kernels whose vectors are columns
		groups := 0
		if k.isa == bf16 {
			groups = t.setSixteens(columns - few)
		} else {
			groups = t.setColumns(columns-few, k.NR/8)
		}
		t.b = &b[n*d]
		if columnBias != nil {
			t.columnBias = &columnBias[n]
		}
		next, end := (n+k.NR)*d, (n+2*k.NR)*d // the next panel
		if n+k.NR >= nHi {
			next = end
		}
		for m := mLo; m < mHi; m += k.MR {
			t.ahead = t.b // already in the cache
			if next < end {
				t.ahead = &b[next]
				next += d * k.NR / fetchShare(m+k.MR <= mHi)
			}
			t.a = &a[m*d]
			t.c = &c[m*ldc+n]
			if rowBias != nil {
				t.rowBias = &rowBias[m]
			}
			t.rows = min(k.MR, mHi-m)
			if columns > few {
				k.isa.run(&t, t.rows, groups)
			}
			if few > 0 {
				k.isa.runColumns(t, columns-few, few)
			}
		}
	}
}

// finishPairs applies e to sums of AMX: the micro-kernels of AVX-512 do it, for products without a depth. t has the limits.
func (t tile) finishPairs(e *Epilogue[float32], s *amxSums) {
	if !cpu.AVX512BF16.Available() {
		part := *e
		if e.RowBias != nil {
			part.RowBias = e.RowBias[s.m:]
		}
		if e.ColumnBias != nil {
			part.ColumnBias = e.ColumnBias[s.n:]
		}
		part.apply(s.data, s.step, 0, s.rows, 0, s.columns)
		return
	}
	t.depth, t.ldc = 0, 4*s.step
	t.flags |= flagAdd
	groups := t.setSixteens(s.columns)
	if e.ColumnBias != nil {
		t.columnBias = &e.ColumnBias[s.n]
	}
	for i := 0; i < s.rows; i += avx512MR {
		t.c = &s.data[i*s.step]
		t.a, t.b, t.ahead = t.c, t.c, t.c // are only prefetched
		if e.RowBias != nil {
			t.rowBias = &e.RowBias[s.m+i]
		}
		runBF16((*byte)(unsafe.Pointer(&t)), min(avx512MR, s.rows-i), groups)
	}
}

// few returns the number of last columns of so many that have a micro-kernel whose vectors are columns.
func (t *Tiling) few(columns int) int {
	lanes := 8
	if t.isa == bf16 {
		lanes = 16
	}
	if n := columns % lanes; n <= t.isa.fewColumns() {
		return n
	}
	return 0
}

// EndsInFew reports whether the last columns of so many are so few that they have a micro-kernel of their own, which takes about as long as
// their share. quads says that the elements are quads.
func (t *Tiling) EndsInFew(columns int, quads bool) bool {
	switch {
	case t.isa.isAMX():
		return false
	case quads:
		return t.fewQuads(columns) > 0
	}
	return t.few(columns) > 0
}

// fewColumns returns the largest number of columns that have a micro-kernel whose vectors are columns
// of c. Vectors that are rows of c would be mostly empty with so few columns.
func (i isa) fewColumns() int {
	switch i {
	case avx512:
		return 3
	case bf16:
		return 4
	case words:
		return 0
	}
	return 1
}

// runColumns runs the micro-kernel for a few columns from first on.
func (i isa) runColumns(t tile, first, columns int) {
	t = t.right(first)
	switch p := (*byte)(unsafe.Pointer(&t)); i {
	case avx512:
		runColumnsAVX512(p, columns)
	case bf16:
		runColumnsBF16(p, columns)
	default:
		runColumnsAVX2(p, columns)
	}
}

// right returns the tile some columns further to the right. With a pointer to it, the memory that it points to would escape to the heap.
func (t tile) right(columns int) tile {
	t.b = (*float32)(unsafe.Add(unsafe.Pointer(t.b), 4*columns))
	t.c = (*float32)(unsafe.Add(unsafe.Pointer(t.c), 4*columns))
	if t.columnBias != nil {
		t.columnBias = (*float32)(unsafe.Add(unsafe.Pointer(t.columnBias), 4*columns))
	}
	if t.bytes != nil {
		t.bytes = (*uint8)(unsafe.Add(unsafe.Pointer(t.bytes), columns))
	}
	return t
}

// fetchShare returns n if a micro-kernel prefetches 1/n of the next panel of b. allRows reports
// whether it has all rows of a panel of a. linesAhead in _asm/tile.go does the same.
func fetchShare(allRows bool) int {
	if allRows {
		return 4
	}
	return 1
}

// setColumns sets the fields for the columns of the last vector that are written, and returns the
// number of groups of eight columns of the micro-kernel. columns is the number of columns of c, and
// eights the number of groups of the largest micro-kernel.
func (t *tile) setColumns(columns, eights int) int {
	n := (columns + 7) / 8
	if n == 0 {
		return 0
	}
	last, lanes := columns-8*(n-1), 8 // columns and lanes of the last vector
	if eights == 4 && n%2 == 0 {      // AVX-512
		last, lanes = last+8, 16
	}
	t.columns = 1<<last - 1
	t.flags &^= flagPartial
	if last < lanes {
		t.flags |= flagPartial
	}
	for i := range t.mask {
		t.mask[i] = 0
		if i < last {
			t.mask[i] = -1
		}
	}
	return n
}
