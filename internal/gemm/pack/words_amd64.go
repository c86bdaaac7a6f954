//go:build amd64 && !noasm

package pack

import "github.com/vinoir/vinoir/internal/cpu"

// widenVectors is WidenBytes by assembly. It returns the number of bytes that it has widened.
func widenVectors(dst []Word, src []uint8, zero uint8) int {
	n := len(src) &^ 15
	if n == 0 || !cpu.AVX2.Available() {
		return 0
	}
	_ = dst[n/2-1] // the assembly does not check bounds
	widenBytes((*float32)(&dst[0]), &src[0], n, uint16(zero))
	return n
}

// scaleVectors is ScaleSums by assembly. It returns the number of sums that it has replaced.
func scaleVectors(c []Sum, scale, offset []float32) int {
	n := len(c) &^ 7
	if n == 0 || !cpu.FMA.Available() {
		return 0
	}
	_, _ = scale[n-1], offset[n-1] // the assembly does not check bounds
	scaleSums((*float32)(&c[0]), &scale[0], &offset[0], n)
	return n
}
