//go:build amd64 && !noasm

package tile

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/gemm/pack"
)

//go:generate sh -c "cd _asm && go run . -out ../tile_amd64.s -stubs ../stubs_amd64.go -pick ../pick_amd64.go -pkg tile && cd .. && go run ../../vex tile_amd64.s"

// tile is the argument of the micro-kernels in assembly. _asm/tile.go depends on its layout. A
// micro-kernel multiplies a panel of a by a panel of b:
//
//	c[i*ldc + j] = sum over p of a[p*MR + i]*b[p*NR + j]
//
// It then adds the biases, and does what flags specifies.
type tile struct {
	a, b, c             unsafe.Pointer // to elements of 4 bytes
	depth               int
	ldc                 int      // in bytes
	rowBias, columnBias *float32 // nil adds nothing
	flags               uint64
	columns             uint64 // bit i: column i of the last vector is written
	lo, hi              float32
	mask                [8]int32       // the same for AVX2: -1 for each column that is written
	ahead               unsafe.Pointer // a part of the next panel of b, which is prefetched
	rows                int            // rows of c, for micro-kernels whose vectors are columns
	rowScale            *float32       // of quads: nil writes sums as they are
	flip                uint32         // of quads
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

// start sets the fields that all tiles of a product have, whose steps are f.
func (t *tile) start(add bool, f *fused) {
	if add {
		t.flags = flagAdd
	}
	if f.clamp {
		t.flags |= flagClamp
		t.lo, t.hi = f.lo, f.hi
	}
}

// multiplyTiles multiplies a block of float32, pairs or words by assembly.
func multiplyTiles[E, C ~float32](k *Tiling, p *Product[E, C]) {
	c, ldc, a, b, d := p.C, p.LDC, p.A, p.B, k.Depth(p.Block, p.Depth)
	mLo, mHi, nLo, nHi := p.MLo, p.MHi, p.NLo, p.NHi
	// The assembly does not check bounds.
	_, _, _ = a[(mHi+k.MR-1)/k.MR*k.MR*d-1], b[(nHi+k.NR-1)/k.NR*k.NR*d-1], c[(mHi-1)*ldc+nHi-1]
	t := tile{depth: d, ldc: 4 * ldc}
	f, last := p.fuse(k)
	t.start(p.Block > 0, &f)
	if k.ISA == AMX {
		product := amxBF16PS
		if k.Operands == F16 {
			product = amxFP16PS
		}
		multiplyAMX(t, product, p, true, &f, last && len(p.Steps) > 0)
		return
	}
	for n := nLo; n < nHi; n += k.NR {
		columns := min(k.NR, nHi-n)
		few := k.few(columns) // last columns, for the micro-kernels whose vectors are columns
		groups := 0
		if k.Operands == BF16 {
			groups = t.setSixteens(columns - few)
		} else {
			groups = t.setColumns(columns-few, k.NR/8)
		}
		t.b = unsafe.Pointer(&b[n*d])
		if f.columnBias != nil {
			t.columnBias = &f.columnBias[n]
		}
		next, end := (n+k.NR)*d, (n+2*k.NR)*d // the next panel
		if n+k.NR >= nHi {
			next = end
		}
		for m := mLo; m < mHi; m += k.MR {
			t.ahead = t.b // already in the cache
			if next < end {
				t.ahead = unsafe.Pointer(&b[next])
				next += d * k.NR / fetchShare(m+k.MR <= mHi)
			}
			t.a, t.c = unsafe.Pointer(&a[m*d]), unsafe.Pointer(&c[m*ldc+n])
			if f.rowBias != nil {
				t.rowBias = &f.rowBias[m]
			}
			t.rows = min(k.MR, mHi-m)
			if columns > few {
				k.run(&t, groups)
			}
			if few > 0 {
				k.runColumns(t, columns-few, few)
			}
		}
	}
}

// finishPairs applies steps to sums of AMX: the micro-kernels of AVX-512 do it, for products
// without a depth. t has the limits.
func (t tile) finishPairs(f *fused, s *amxSums) {
	if !cpu.AVX512BF16.Available() {
		f.apply(s.data, s.step, s.m, s.m+s.rows, s.n, s.n+s.columns)
		return
	}
	t.depth, t.ldc = 0, 4*s.step
	t.flags |= flagAdd
	groups := t.setSixteens(s.columns)
	if f.columnBias != nil {
		t.columnBias = &f.columnBias[s.n]
	}
	for i := 0; i < s.rows; i += avx512MR {
		t.c = unsafe.Pointer(&s.data[i*s.step])
		t.a, t.b, t.ahead = t.c, t.c, t.c // are only prefetched
		if f.rowBias != nil {
			t.rowBias = &f.rowBias[s.m+i]
		}
		runBF16((*byte)(unsafe.Pointer(&t)), min(avx512MR, s.rows-i), groups)
	}
}

// few returns the number of last columns of so many that have a micro-kernel whose vectors are
// columns of c. Vectors that are rows of c would be mostly empty with so few columns.
func (k *Tiling) few(columns int) int {
	lanes, most := 8, 1
	switch {
	case k.Operands == Words || k.Operands == Bytes && k.ISA != AVX512:
		return 0
	case k.Operands == BF16, k.Operands == Bytes:
		// A column takes half a cycle for each step of the depth, where a vector of columns takes
		// six, but more for each row that it writes.
		lanes, most = 16, 4
	case k.ISA == AVX512:
		most = 3
	}
	if n := columns % lanes; n <= most {
		return n
	}
	return 0
}

// EndsInFew reports whether the last vector of a row of c, if c has the given number of columns, is
// so empty that a micro-kernel whose vectors are columns of c computes what is in it. That takes
// about as long as the share of these columns in a whole vector, so that nobody who divides columns
// among threads needs to cut them at whole vectors.
func (k *Tiling) EndsInFew(columns int) bool { return k.ISA != AMX && k.few(columns) > 0 }

// run runs the micro-kernel for the rows of t and a number of groups of eight columns, or of
// sixteen for pairs.
func (k *Tiling) run(t *tile, groups int) {
	switch p := (*byte)(unsafe.Pointer(t)); {
	case k.Operands == BF16:
		runBF16(p, t.rows, groups)
	case k.Operands == Words:
		runWords(p, t.rows, groups)
	case k.ISA == AVX512:
		runAVX512(p, t.rows, groups)
	default:
		runAVX2(p, t.rows, groups)
	}
}

// runColumns runs the micro-kernel for a few columns from first on.
func (k *Tiling) runColumns(t tile, first, columns int) {
	t = t.right(first)
	switch p := (*byte)(unsafe.Pointer(&t)); {
	case k.Operands == BF16:
		runColumnsBF16(p, columns)
	case k.ISA == AVX512:
		runColumnsAVX512(p, columns)
	default:
		runColumnsAVX2(p, columns)
	}
}

// right returns the tile some columns further to the right. With a pointer to it, the memory that
// it points to would escape to the heap.
func (t tile) right(columns int) tile {
	t.b = unsafe.Add(t.b, 4*columns)
	t.c = unsafe.Add(t.c, 4*columns)
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

// floatsTiling returns the fastest tiling for float32; false if there is no assembly. _asm/gen.go
// has the same numbers of rows and columns. RATIONALE.md explains the sizes.
func floatsTiling() (Tiling, bool) {
	switch {
	case cpu.AVX512.Available():
		return Tiling{MR: avx512MR, NR: avx512NR, KC: 384, ISA: AVX512}, true
	case cpu.FMA.Available():
		return Tiling{MR: 6, NR: 16, KC: 384, ISA: AVX2}, true
	}
	return Tiling{}, false
}

// pairsTiling is floatsTiling for pairs of f16 or bf16.
func pairsTiling(f16 bool) (Tiling, bool) {
	switch {
	case f16 && HasPairs(true):
		return Tiling{MR: AMXMR, NR: AMXNR, KC: 384, ISA: AMX, Operands: F16}, true
	case !f16 && HasAMX():
		return Tiling{MR: AMXMR, NR: AMXNR, KC: 384, ISA: AMX, Operands: BF16}, true
	case !f16 && HasPairs(false):
		return Tiling{MR: avx512MR, NR: avx512NR, KC: 384, ISA: AVX512, Operands: BF16}, true
	}
	return Tiling{}, false
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

// MultiplyHalves multiplies up to MaxHalfRows rows by panels b of f16 or bf16, which take the place
// of p.B, from column NLo on. It returns the first column that is left: that of a panel that c ends
// in.
func MultiplyHalves(k *Tiling, p *Product[float32, float32], b []uint16, bf16 bool) int {
	c, ldc, a, d := p.C, p.LDC, p.A, k.Depth(p.Block, p.Depth)
	mLo, mHi, nLo, nHi := p.MLo, p.MHi, p.NLo, p.NHi
	if k.ISA == Portable || nHi-nLo < k.NR || d == 0 {
		return nLo
	}
	end, rows := nLo+(nHi-nLo)/k.NR*k.NR, (mHi+k.MR-1)/k.MR*k.MR
	// The assembly does not check bounds.
	_, _, _ = a[rows*d-1], b[end*d-1], c[(mHi-1)*ldc+end-1]
	t := tile{depth: d, ldc: 4 * ldc, columns: 1<<16 - 1}
	f, _ := p.fuse(k)
	t.start(p.Block > 0, &f)
	for n := nLo; n < end; n += k.NR {
		t.b = unsafe.Pointer(&b[n*d])
		if f.columnBias != nil {
			t.columnBias = &f.columnBias[n]
		}
		next, stop := (n+k.NR)*d, (n+2*k.NR)*d // the next panel
		if n+k.NR >= end {
			next = stop
		}
		for m := mLo; m < mHi; m += k.MR {
			t.ahead = t.b // already in the cache
			if next < stop {
				t.ahead = unsafe.Pointer(&b[next])
				next += d * k.NR / fetchShare(m+k.MR <= mHi)
			}
			t.a, t.c, t.rows = unsafe.Pointer(&a[m*d]), unsafe.Pointer(&c[m*ldc+n]), min(k.MR, mHi-m)
			if f.rowBias != nil {
				t.rowBias = &f.rowBias[m]
			}
			switch p := (*byte)(unsafe.Pointer(&t)); {
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

// HasF16Sums reports whether there is assembly for NewF16Sums.
func HasF16Sums() bool { return false }

const f16SumsMR, f16SumsNR = 0, 0

func multiplyF16Sums(_ *Tiling, _ *Product[pack.Pair, float32]) { panic("BUG: no assembly") }
