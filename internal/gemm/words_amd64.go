//go:build amd64 && !noasm

package gemm

import "github.com/vinoir/vinoir/internal/cpu"

// widenVectors is WidenBytes by assembly. It returns the number of bytes that it has widened.
func widenVectors(dst []float32, src []uint8, zero uint8) int {
	n := len(src) &^ 15
	if n == 0 || !cpu.AVX2.Available() {
		return 0
	}
	_ = dst[n/2-1] // the assembly does not check bounds
	widenBytes(&dst[0], &src[0], n, uint16(zero))
	return n
}

// scaleVectors is ScaleSums by assembly. It returns the number of sums that it has replaced.
func scaleVectors(c, scale, offset []float32) int {
	n := len(c) &^ 7
	if n == 0 || !cpu.FMA.Available() {
		return 0
	}
	_, _ = scale[n-1], offset[n-1] // the assembly does not check bounds
	scaleSums(&c[0], &scale[0], &offset[0], n)
	return n
}

// columnVectors sets dst to quads of size elements of columns of src, less zero, by assembly. It returns the number of columns that it has read.
func columnVectors(dst []uint32, src []uint8, stride, size int, zero uint8) int {
	n := len(dst) &^ 15
	if n == 0 || !cpu.AVX2.Available() {
		return 0
	}
	_ = src[(size-1)*stride+n-1] // the assembly does not check bounds
	if size == 2 {
		wordColumns(&dst[0], &src[0], stride, n, uint16(zero))
	} else {
		byteColumns(&dst[0], &src[0], stride, n, uint16(flips(zero)))
	}
	return n
}
