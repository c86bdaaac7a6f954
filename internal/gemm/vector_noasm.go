//go:build !amd64 || noasm

package gemm

// multiplyTiles is never called: only kernels for amd64 use it.
func (k *Kernel[T]) multiplyTiles(_ []T, _ int, _, _ []T, _ int, _ bool, _, _, _, _ int, _ *Epilogue[T]) {
}

// dotsFloat32 returns false: there is no assembly for Row.
func dotsFloat32(_, _ []float32, _ Matrix[float32], _, _ int) bool { return false }

// addRowsFloat32 returns false: there is no assembly for Row.
func addRowsFloat32(_, _, _ []float32, _ int) bool { return false }

// copyVectors returns false: there is no assembly that copies.
func copyVectors[T Number](_, _ []T, _, _, _ int) bool { return false }

// transposeVectors returns 0, 0: there is no assembly that transposes.
func transposeVectors[T Number](_, _ []T, _, _, _, _ int) (lines, positions int) { return 0, 0 }
