//go:build (!amd64 && !arm64) || noasm

package gemm

func newFloat32[T Number]() *Kernel[T] { return newPortable[T]() }

// tile multiplies a panel of a by one of b into a tile of c.
func (k *Kernel[T]) tile(depth int, a, b, c []T, ldc int, add bool) {
	tilePortable(depth, a, b, c, ldc, add)
}
