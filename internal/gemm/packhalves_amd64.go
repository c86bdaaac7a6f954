//go:build amd64 && !noasm

package gemm

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

// HasHalves reports whether products with matrices of PackHalves are as fast as those of float32.
func HasHalves() bool { return cpu.FMA.Available() }

// maxHalfRows is the largest number of rows of c for which elements of f16 and bf16 are converted in registers. With more, panels are
// converted in the cache.
const maxHalfRows = 36

// multiplyRows multiplies up to maxHalfRows rows by panels of b from column nLo on. It returns the first column that is left: that of a
// panel that c ends in.
func (h *halves) multiplyRows(k *Tiling, c []float32, ldc int, a []float32, b []uint16, d int, add bool, mLo, mHi, nLo, nHi int, e *Epilogue[float32]) int {
	if k.isa != avx2 && k.isa != avx512 || mLo >= mHi || nHi-nLo < k.NR || d == 0 {
		return nLo
	}
	end, rows := nLo+(nHi-nLo)/k.NR*k.NR, (mHi+k.MR-1)/k.MR*k.MR
	// The assembly does not check bounds.
	_, _, _ = a[rows*d-1], b[end*d-1], c[(mHi-1)*ldc+end-1]
	t := tile{depth: d, ldc: 4 * ldc, columns: 1<<16 - 1}
	rowBias, columnBias := t.start(add, mHi, end, e)
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
			case k.isa == avx2 && h.bf16:
				runAVX2bf16(p, t.rows, 1)
			case k.isa == avx2:
				runAVX2f16(p, t.rows, 1)
			case h.bf16:
				runAVX512bf16(p, t.rows, 1)
			default:
				runAVX512f16(p, t.rows, 1)
			}
		}
	}
	return end
}
