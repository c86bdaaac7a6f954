//go:build !noasm

package tile

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/cpu"
)

// tile is the argument of the micro-kernels in assembly. _neon/gen.go depends on its layout. A
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
	lo, hi              float32
}

// The bits of tile.flags, as in _neon/gen.go.
const (
	flagAdd   = 1 << iota // add what c held
	flagClamp             // clamp to lo and hi at the end
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

// multiplyTiles multiplies a block of float32 by assembly.
func multiplyTiles[E, C ~float32](k *Tiling, p *Product[E, C]) {
	c, ldc, a, b, d := cast.Slice[float32](p.C), p.LDC, p.A, p.B, k.Depth(p.Block, p.Depth)
	mLo, mHi, nLo, nHi := p.MLo, p.MHi, p.NLo, p.NHi
	// The assembly does not check bounds.
	_, _, _ = a[(mHi+k.MR-1)/k.MR*k.MR*d-1], b[(nHi+k.NR-1)/k.NR*k.NR*d-1], c[(mHi-1)*ldc+nHi-1]
	t := tile{depth: d, ldc: 4 * ldc}
	f, _ := p.fuse(k)
	t.start(p.Block > 0, &f)
	for n := nLo; n < nHi; n += k.NR {
		columns := min(k.NR, nHi-n)
		t.b = unsafe.Pointer(&b[n*d])
		if f.columnBias != nil {
			t.columnBias = &f.columnBias[n]
		}
		for m := mLo; m < mHi; m += k.MR {
			rows := min(k.MR, mHi-m)
			t.a = unsafe.Pointer(&a[m*d])
			if f.rowBias != nil {
				t.rowBias = &f.rowBias[m]
			}
			if columns%4 > 0 {
				t.partial(c[m*ldc+n:], ldc, f.columnBias[min(n, len(f.columnBias)):], rows, columns)
				continue
			}
			t.c = unsafe.Pointer(&c[m*ldc+n])
			t.run(rows, columns/4)
		}
	}
}

// partial computes a tile whose last vector is partly in c, in memory of its own.
func (t *tile) partial(c []float32, ldc int, columnBias []float32, rows, columns int) {
	var edge [8 * 12]float32
	var bias [12]float32
	width := (columns + 3) / 4 * 4
	own := *t
	own.c, own.ldc = unsafe.Pointer(&edge[0]), 4*width
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

// run runs the micro-kernel for a number of rows and of vectors of four columns. With a table of
// functions, the tile would escape to the heap.
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

// EndsInFew reports whether a micro-kernel whose vectors are columns computes the last columns of
// c: there is none.
func (t *Tiling) EndsInFew(_ int) bool { return false }

// floatsTiling returns the tiling for float32; false if there is no assembly. _neon/gen.go has the
// same numbers of rows and columns.
func floatsTiling() (Tiling, bool) {
	return Tiling{MR: 8, NR: 12, KC: 384, ISA: NEON}, cpu.NEON.Available()
}

// HasPairs reports whether there is a kernel for pairs of bf16, or of f16, that is faster than that
// for float32.
func HasPairs(f16 bool) bool { return f16 && HasF16Sums() }

// HasHalves reports whether products with matrices of PackHalves are as fast as those of float32.
func HasHalves() bool { return cpu.NEON.Available() }

// MaxHalfRows is the largest number of rows of c for which elements of f16 and bf16 are converted
// in registers. With more, panels are converted in the cache, which takes three times as many
// instructions as converting it in registers once.
const MaxHalfRows = 16

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
	t := tile{depth: d, ldc: 4 * ldc}
	f, _ := p.fuse(k)
	t.start(p.Block > 0, &f)
	for n := nLo; n < end; n += k.NR {
		t.b = unsafe.Pointer(&b[n*d])
		if f.columnBias != nil {
			t.columnBias = &f.columnBias[n]
		}
		for m := mLo; m < mHi; m += k.MR {
			t.a, t.c = unsafe.Pointer(&a[m*d]), unsafe.Pointer(&c[m*ldc+n])
			if f.rowBias != nil {
				t.rowBias = &f.rowBias[m]
			}
			t.runHalves(bf16, min(k.MR, mHi-m))
		}
	}
	return end
}

// runHalves runs the micro-kernel of f16 or bf16 for a number of rows.
func (t *tile) runHalves(bf16 bool, rows int) {
	p := (*byte)(unsafe.Pointer(t))
	if bf16 {
		rows += 8
	}
	switch rows {
	case 1:
		tileNEONf16_1x12(p)
	case 2:
		tileNEONf16_2x12(p)
	case 3:
		tileNEONf16_3x12(p)
	case 4:
		tileNEONf16_4x12(p)
	case 5:
		tileNEONf16_5x12(p)
	case 6:
		tileNEONf16_6x12(p)
	case 7:
		tileNEONf16_7x12(p)
	case 8:
		tileNEONf16_8x12(p)
	case 9:
		tileNEONbf16_1x12(p)
	case 10:
		tileNEONbf16_2x12(p)
	case 11:
		tileNEONbf16_3x12(p)
	case 12:
		tileNEONbf16_4x12(p)
	case 13:
		tileNEONbf16_5x12(p)
	case 14:
		tileNEONbf16_6x12(p)
	case 15:
		tileNEONbf16_7x12(p)
	case 16:
		tileNEONbf16_8x12(p)
	}
}

// HasAMX reports whether there are kernels for tiles of AMX.
func HasAMX() bool { return false }
