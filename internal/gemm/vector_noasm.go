//go:build !amd64 || noasm

package gemm

// multiplyTiles is never called: there is no other kernel than the portable one.
func (k *Kernel[T]) multiplyTiles(_ []T, _ int, _, _ []T, _ int, _ bool, _, _, _, _ int, _ *Epilogue[T]) {
}

// rowFloat32 is Row for float32; false where the machine has no code for it.
func rowFloat32(_, _ []float32, _ Matrix[float32], _, _ int) bool { return false }

// copyVectors does nothing, and says so.
func copyVectors[T Number](_, _ []T, _, _, _ int) bool { return false }

// transposeVectors returns how many lines and positions of each it has transposed:
// none.
func transposeVectors[T Number](_, _ []T, _, _, _, _ int) (lines, positions int) { return 0, 0 }
