//go:build noasm || (!amd64 && !arm64)

package gemm

// BytesPay reports whether matrices of bytes are multiplied faster than those of float32.
func BytesPay() bool { return false }

// multiply multiplies rows of a by the panel.
func (t *bytesPanel) multiply(c []float32, ldc int, a []uint8, stride, rows int) {
	t.multiplyPortable(c, ldc, a, stride, rows)
}
