//go:build !amd64 || noasm

package gemm

func newFloat32[T Number]() *Kernel[T] { return newPortable[T]() }

// multiplyTiles is never called: there is no other kernel than the portable one.
func (k *Kernel[T]) multiplyTiles(_ []T, _ int, _, _ []T, _ int, _ bool, _, _, _, _ int, _ *Epilogue[T]) {
}

// rowFloat32 is Row for float32; false where the machine has no code for it.
func rowFloat32(_, _ []float32, _ Matrix[float32], _, _ int) bool { return false }
