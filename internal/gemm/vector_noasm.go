//go:build (!amd64 && !arm64) || noasm

package gemm

// multiplyTiles is never called: only kernels in assembly use it.
func multiplyTiles(_ *Tiling, _ []float32, _ int, _, _ []float32, _ int, _ bool, _, _, _, _ int, _ *Epilogue[float32]) {
}

// dotsFloat32 returns false: there is no assembly for Row.
func dotsFloat32(_, _ []float32, _ Matrix[float32], _, _ int) bool { return false }

// addRowsFloat32 returns false: there is no assembly for Row.
func addRowsFloat32(_, _, _ []float32, _ int) bool { return false }

// copyVectors returns false: there is no assembly that copies.
func copyVectors[T Number](_, _ []T, _, _, _ int) bool { return false }

// transposeVectors returns 0, 0: there is no assembly that transposes.
func transposeVectors[T Number](_, _ []T, _, _, _, _ int) (lines, positions int) { return 0, 0 }
