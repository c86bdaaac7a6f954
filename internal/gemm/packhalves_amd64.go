//go:build amd64 && !noasm

package gemm

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

// HasHalves reports whether products with matrices of PackHalves are as fast as those of float32.
func HasHalves() bool { return cpu.FMA.Available() }

// multiplyRows multiplies a panel of a, of up to maxHalfRows rows, by panels of b from column nLo on. It returns the first column that
// is left: that of a panel that c ends in.
func (h *halves) multiplyRows(k *Tiling, c []float32, ldc int, a []float32, b []uint16, d int, add bool, mLo, mHi, nLo, nHi int, e *Epilogue[float32]) int {
	if k.isa != avx2 && k.isa != avx512 || mLo >= mHi || nHi-nLo < k.NR || d == 0 {
		return nLo
	}
	end := nLo + (nHi-nLo)/k.NR*k.NR
	// The assembly does not check bounds.
	_, _, _ = a[(mLo+k.MR)*d-1], b[end*d-1], c[(mHi-1)*ldc+end-1]
	t := tile{a: &a[mLo*d], depth: d, ldc: 4 * ldc, rows: mHi - mLo}
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
	t.columns = 1<<16 - 1
	for n := nLo; n < end; n += k.NR {
		t.b = (*float32)(unsafe.Pointer(&b[n*d]))
		t.ahead = t.b // already in the cache
		if n+k.NR < end {
			t.ahead = (*float32)(unsafe.Pointer(&b[(n+k.NR)*d]))
		}
		t.c = &c[mLo*ldc+n]
		if e != nil && e.ColumnBias != nil {
			t.columnBias = &e.ColumnBias[n]
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
	return end
}
