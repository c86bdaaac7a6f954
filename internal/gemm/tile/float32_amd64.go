//go:build amd64 && !noasm

package tile

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

//go:generate sh -c "cd _asm && go run . -out ../tile_amd64.s -stubs ../stubs_amd64.go -pick ../pick_amd64.go -pkg tile && cd .. && go run ../../vex tile_amd64.s"

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
	// of quads: where the results are written in the place of c, as bytes, if it is not nil
	bytes     *uint8
	stepBytes int    // from one row of these to the next
	rowStart  *int32 // of quads of i16: nil adds nothing
	// of quads of i16: tiles with all rows below each other that are written as whole vectors of
	// bytes
	tiles int
	// of quads, of each row: if it is not nil, bytes are levels, for which results are multiplied
	// by it
	levelScale *float32
	levelShift *float32 // of quads, of each row: what is added then
	// of quads, of each row: if it is not nil, negative results are multiplied by it before
	levelSlope *float32
	levelMax   float32 // of quads: the largest level
}

// The bits of tile.flags, as in _asm/tile.go.
const (
	flagAdd     = 1 << iota // add what c held
	flagClamp               // clamp to lo and hi at the end
	flagPartial             // only a part of the last vector is written
	flagHSwish              // replace x by x*(min(max(x+3, 0), 6)/6) before levels are computed
)

// multiplyTiles is MultiplyThen by assembly, for a block of depth d. It adds to c if add is true.
func multiplyTiles(k *Tiling, block *Block[float32]) {
	c, ldc, a, b, d, add := block.C, block.LDC, block.A, block.B, block.Depth, block.Add
	mLo, mHi, nLo, nHi, e := block.MLo, block.MHi, block.NLo, block.NHi, block.Epilogue
	// The assembly does not check bounds.
	_, _, _ = a[(mHi+k.MR-1)/k.MR*k.MR*d-1], b[(nHi+k.NR-1)/k.NR*k.NR*d-1], c[(mHi-1)*ldc+nHi-1]
	t := tile{depth: d, ldc: 4 * ldc}
	rowBias, columnBias := t.start(add, mHi, nHi, e)
	if k.ISA.isAMX() {
		product := amxBF16PS
		if k.ISA == AMXF16 {
			product = amxFP16PS
		}
		t.multiplyAMX(product, block, true, nil, e)
		return
	}
	for n := nLo; n < nHi; n += k.NR {
		columns := min(k.NR, nHi-n)
		few := k.few(columns) // last columns, for the micro-kernels whose vectors are columns
		groups := 0
		if k.ISA == BF16 {
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
				k.ISA.run(&t, t.rows, groups)
			}
			if few > 0 {
				k.ISA.runColumns(t, columns-few, few)
			}
		}
	}
}

// finishPairs applies e to sums of AMX: the micro-kernels of AVX-512 do it, for products without a
// depth. t has the limits.
func (t tile) finishPairs(e *Epilogue[float32], s *amxSums) {
	if !cpu.AVX512BF16.Available() {
		part := *e
		if e.RowBias != nil {
			part.RowBias = e.RowBias[s.m:]
		}
		if e.ColumnBias != nil {
			part.ColumnBias = e.ColumnBias[s.n:]
		}
		part.Apply(s.data, s.step, 0, s.rows, 0, s.columns)
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

// few returns the number of last columns of so many that have a micro-kernel whose vectors are
// columns.
func (t *Tiling) few(columns int) int {
	lanes := 8
	if t.ISA == BF16 {
		lanes = 16
	}
	if n := columns % lanes; n <= t.ISA.fewColumns() {
		return n
	}
	return 0
}

// EndsInFew reports whether the last vector of a row of c, if c has the given number of columns, is
// so empty that a micro-kernel whose vectors are columns of c computes what is in it. That takes
// about as long as the share of these columns in a whole vector, so that nobody who divides columns
// among threads needs to cut them at whole vectors. quads says that the elements are quads.
func (t *Tiling) EndsInFew(columns int, quads bool) bool {
	switch {
	case t.ISA.isAMX():
		return false
	case quads:
		return t.fewQuads(columns) > 0
	}
	return t.few(columns) > 0
}

// fewColumns returns the largest number of columns that have a micro-kernel whose vectors are
// columns of c. Vectors that are rows of c would be mostly empty with so few columns.
func (i ISA) fewColumns() int {
	switch i {
	case AVX512:
		return 3
	case BF16:
		return 4
	case Words:
		return 0
	}
	return 1
}

// runColumns runs the micro-kernel for a few columns from first on.
func (i ISA) runColumns(t tile, first, columns int) {
	t = t.right(first)
	switch p := (*byte)(unsafe.Pointer(&t)); i {
	case AVX512:
		runColumnsAVX512(p, columns)
	case BF16:
		runColumnsBF16(p, columns)
	default:
		runColumnsAVX2(p, columns)
	}
}

// right returns the tile some columns further to the right. With a pointer to it, the memory that
// it points to would escape to the heap.
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

// run runs the micro-kernel for a number of rows and of groups of eight columns, or of sixteen for
// pairs.
func (i ISA) run(t *tile, rows, groups int) {
	p := (*byte)(unsafe.Pointer(t))
	switch i {
	case AVX512:
		runAVX512(p, rows, groups)
	case BF16:
		runBF16(p, rows, groups)
	case Words:
		runWords(p, rows, groups)
	default:
		runAVX2(p, rows, groups)
	}
}

// NewFloat32 returns the fastest tiling for float32. _asm/gen.go has the same numbers of rows and
// columns. RATIONALE.md explains the sizes.
func NewFloat32() Tiling {
	switch {
	case cpu.AVX512.Available():
		return Tiling{MR: avx512MR, NR: avx512NR, KC: 384, ISA: AVX512}
	case cpu.FMA.Available():
		return Tiling{MR: 6, NR: 16, KC: 384, ISA: AVX2}
	}
	return NewPortable()
}

// HasPairs reports whether there is a kernel for pairs of bf16, or of f16, that is faster than that
// for float32.
func HasPairs(f16 bool) bool {
	if f16 {
		return cpu.AMXFP16.Available()
	}
	return cpu.AVX512BF16.Available()
}

// HasHalves reports whether products with matrices of PackHalves are as fast as those of float32.
func HasHalves() bool { return cpu.FMA.Available() }

// MaxHalfRows is the largest number of rows of c for which elements of f16 and bf16 are converted
// in registers. With more, panels are converted in the cache.
const MaxHalfRows = 36

// MultiplyHalfBlock multiplies up to MaxHalfRows rows by panels b of f16 or bf16, which take the
// place of block.B, from column NLo on. It returns the first column that is left: that of a panel
// that c ends in.
func (k *Tiling) MultiplyHalfBlock(block *Block[float32], b []uint16, bf16 bool) int {
	c, ldc, a, d := block.C, block.LDC, block.A, block.Depth
	mLo, mHi, nLo, nHi := block.MLo, block.MHi, block.NLo, block.NHi
	if k.ISA != AVX2 && k.ISA != AVX512 || mLo >= mHi || nHi-nLo < k.NR || d == 0 {
		return nLo
	}
	end, rows := nLo+(nHi-nLo)/k.NR*k.NR, (mHi+k.MR-1)/k.MR*k.MR
	// The assembly does not check bounds.
	_, _, _ = a[rows*d-1], b[end*d-1], c[(mHi-1)*ldc+end-1]
	t := tile{depth: d, ldc: 4 * ldc, columns: 1<<16 - 1}
	rowBias, columnBias := t.start(block.Add, mHi, end, block.Epilogue)
	for n := nLo; n < end; n += k.NR {
		t.b = (*float32)(unsafe.Pointer(&b[n*d]))
		if columnBias != nil {
			t.columnBias = &columnBias[n]
		}
		next, stop := (n+k.NR)*d, (n+2*k.NR)*d // the next panel
		if n+k.NR >= end {
			next = stop
		}
		for m := mLo; m < mHi; m += k.MR {
			t.ahead = t.b // already in the cache
			if next < stop {
				t.ahead = (*float32)(unsafe.Pointer(&b[next]))
				next += d * k.NR / fetchShare(m+k.MR <= mHi)
			}
			t.a, t.c, t.rows = &a[m*d], &c[m*ldc+n], min(k.MR, mHi-m)
			if rowBias != nil {
				t.rowBias = &rowBias[m]
			}
			p := (*byte)(unsafe.Pointer(&t))
			switch {
			case k.ISA == AVX2 && bf16:
				runAVX2bf16(p, t.rows, 1)
			case k.ISA == AVX2:
				runAVX2f16(p, t.rows, 1)
			case bf16:
				runAVX512bf16(p, t.rows, 1)
			default:
				runAVX512f16(p, t.rows, 1)
			}
		}
	}
	return end
}

// HasHalfSums reports whether there is assembly for NewHalves.
func HasHalfSums() bool { return false }

func multiplyHalfTiles(_ *Tiling, _ *Block[float32]) { panic("BUG: no assembly") }
