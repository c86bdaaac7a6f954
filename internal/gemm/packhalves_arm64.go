//go:build !noasm

package gemm

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

// HasHalves reports whether products with matrices of PackHalves are as fast as those of float32.
func HasHalves() bool { return cpu.NEON.Available() }

// maxHalfRows is the largest number of rows of c for which elements of f16 and bf16 are converted in registers. With more, panels are
// converted in the cache, which takes three times as many instructions as converting it in registers once.
const maxHalfRows = 16

// multiplyRows multiplies up to maxHalfRows rows by panels of b from column nLo on. It returns the first column that is left: that of a
// panel that c ends in.
func (h *halves) multiplyRows(k *Tiling, c []float32, ldc int, a []float32, b []uint16, d int, add bool, mLo, mHi, nLo, nHi int, e *Epilogue[float32]) int {
	if k.isa != neon || mLo >= mHi || nHi-nLo < k.NR || d == 0 {
		return nLo
	}
	end, rows := nLo+(nHi-nLo)/k.NR*k.NR, (mHi+k.MR-1)/k.MR*k.MR
	// The assembly does not check bounds.
	_, _, _ = a[rows*d-1], b[end*d-1], c[(mHi-1)*ldc+end-1]
	t := tile{depth: d, ldc: 4 * ldc}
	rowBias, columnBias := t.start(add, mHi, end, e)
	for n := nLo; n < end; n += k.NR {
		t.b = (*float32)(unsafe.Pointer(&b[n*d]))
		if columnBias != nil {
			t.columnBias = &columnBias[n]
		}
		for m := mLo; m < mHi; m += k.MR {
			t.a, t.c = &a[m*d], &c[m*ldc+n]
			if rowBias != nil {
				t.rowBias = &rowBias[m]
			}
			t.runHalves(h.bf16, min(k.MR, mHi-m))
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
