//go:build !noasm

package gemm

import "github.com/vinoir/vinoir/internal/cpu"

// dotsVectors is dots by assembly. It returns false if the processor does not support
// it.
func dotsVectors(c, a []float32, b Matrix[float32], lo, hi int) bool {
	if !cpu.NEON.Available() {
		return false
	}
	for lo < hi {
		// The assembly does not check bounds.
		rows := b.Data[lo*b.ColStride:]
		if hi-lo >= 4 {
			_, _ = rows[3*b.ColStride+len(a)-1], c[lo+3]
			dots4NEON(&c[lo], &a[0], &rows[0], b.ColStride, len(a))
			lo += 4
			continue
		}
		_ = rows[len(a)-1]
		dots1NEON(&c[lo], &a[0], &rows[0], b.ColStride, len(a))
		lo++
	}
	return true
}

// addRowsVectors is addRows by assembly. It returns false if the processor does not
// support it.
func addRowsVectors(out, a, b []float32, stride int) bool {
	if !cpu.NEON.Available() {
		return false
	}
	for p := 0; p < len(a); {
		// The assembly does not check bounds.
		rows := b[p*stride:]
		if len(a)-p >= 4 {
			_ = rows[3*stride+len(out)-1]
			addRows4NEON(&out[0], &a[p], &rows[0], stride, len(out))
			p += 4
			continue
		}
		_ = rows[len(out)-1]
		addRows1NEON(&out[0], &a[p], &rows[0], stride, len(out))
		p++
	}
	return true
}
