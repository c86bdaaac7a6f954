//go:build !noasm

package gemm

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

// HasHalves reports whether products with matrices of PackHalves are as fast as those of float32.
func HasHalves() bool { return cpu.NEON.Available() }

// maxHalfRows is the largest number of rows of c for which elements of f16 and bf16 are converted in registers. With more, panels are
// converted in the cache. _neon/gen.go has the same number.
const maxHalfRows = 4

// multiplyRows multiplies a panel of a, of up to maxHalfRows rows, by panels of b from column nLo on. It returns the first column that
// is left: that of a panel that c ends in.
func (h *halves) multiplyRows(k *Tiling, c []float32, ldc int, a []float32, b []uint16, d int, add bool, mLo, mHi, nLo, nHi int, e *Epilogue[float32]) int {
	if k.isa != neon || mLo >= mHi || nHi-nLo < k.NR || d == 0 {
		return nLo
	}
	end := nLo + (nHi-nLo)/k.NR*k.NR
	// The assembly does not check bounds.
	_, _, _ = a[(mLo+k.MR)*d-1], b[end*d-1], c[(mHi-1)*ldc+end-1]
	t := tile{a: &a[mLo*d], depth: d, ldc: 4 * ldc}
	if add {
		t.flags = flagAdd
	}
	if e != nil {
		if e.RowBias != nil {
			_ = e.RowBias[mHi-1]
			t.rowBias = &e.RowBias[mLo]
		}
		if e.ColumnBias != nil {
			_ = e.ColumnBias[end-1]
		}
		if e.Clamp {
			t.flags |= flagClamp
			t.lo, t.hi = e.Lo, e.Hi
		}
	}
	for n := nLo; n < end; n += k.NR {
		t.b, t.c = (*float32)(unsafe.Pointer(&b[n*d])), &c[mLo*ldc+n]
		if e != nil && e.ColumnBias != nil {
			t.columnBias = &e.ColumnBias[n]
		}
		t.runHalves(h.bf16, mHi-mLo)
	}
	return end
}

// runHalves runs the micro-kernel of f16 or bf16 for a number of rows.
func (t *tile) runHalves(bf16 bool, rows int) {
	p := (*byte)(unsafe.Pointer(t))
	if bf16 {
		rows += maxHalfRows
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
		tileNEONbf16_1x12(p)
	case 6:
		tileNEONbf16_2x12(p)
	case 7:
		tileNEONbf16_3x12(p)
	case 8:
		tileNEONbf16_4x12(p)
	}
}
