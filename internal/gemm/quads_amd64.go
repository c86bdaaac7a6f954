//go:build amd64 && !noasm

package gemm

import "unsafe"

// multiplyQuads is MultiplyQuads by assembly, for a block of depth d. It adds to c if add is true. last reports whether it
// is the last block.
func multiplyQuads(k *Kernel[float32], c []float32, ldc int, a, b []float32, d int, add, last bool, mLo, mHi, nLo, nHi int, q *Quads) {
	// The assembly does not check bounds.
	_, _ = a[(mHi+k.MR-1)/k.MR*k.MR*d-1], b[(nHi+k.NR-1)/k.NR*k.NR*d-1]
	bytes := last && q.Bytes != nil
	if add || !bytes {
		_ = c[(mHi-1)*ldc+nHi-1]
	}
	t := tile{depth: d, ldc: 4 * ldc, flip: q.flips()}
	if add {
		t.flags = flagAdd
	}
	if bytes {
		_ = q.Bytes[(mHi-1)*q.BytesStride+nHi-1]
		t.stepBytes = q.BytesStride
	}
	e := &q.Epilogue
	if last {
		_ = q.Scale[mHi-1]
		if e.RowBias != nil {
			_ = e.RowBias[mHi-1]
		}
		if e.Clamp || bytes {
			t.flags |= flagClamp
			t.lo, t.hi = e.Lo, e.Hi
		}
	}
	for n := nLo; n < nHi; n += k.NR {
		columns := min(k.NR, nHi-n)
		t.columns = 1<<((columns-1)%16+1) - 1
		t.b = &b[n*d]
		t.ahead = t.b // already in the cache
		for m := mLo; m < mHi; {
			row := m % k.MR // a panel with fewer rows has several tiles
			t.a = &a[(m-row)*d+row]
			if bytes {
				t.bytes = &q.Bytes[m*q.BytesStride+n]
			}
			if add || !bytes {
				t.c = &c[m*ldc+n]
			} else {
				t.c, t.ldc = (*float32)(unsafe.Pointer(t.bytes)), t.stepBytes // is only prefetched
			}
			if last {
				t.rowScale = &q.Scale[m]
				if e.RowBias != nil {
					t.rowBias = &e.RowBias[m]
				}
			}
			rows := quadRows(min(k.MR-row, mHi-m))
			runVNNI((*byte)(unsafe.Pointer(&t)), rows, (columns+15)/16)
			m += rows
		}
	}
}

// quadRows returns the number of rows of the next tile if some rows are left: the largest size that they fill.
func quadRows(left int) int {
	for _, rows := range [...]int{12, 8, 4, 2} {
		if rows <= left {
			return rows
		}
	}
	return 1
}
