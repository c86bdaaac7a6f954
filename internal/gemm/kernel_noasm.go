//go:build (!amd64 && !arm64) || noasm

package gemm

// newFloat32 returns the kernel for T, which is float32: the portable one.
func newFloat32[T Number]() *Kernel[T] { return newPortable[T]() }

// multiplyTile multiplies a panel of a by a panel of b into a tile of c, and adds what c held if add
// is true. It is not inlined, as it has many callers.
//
//go:noinline
func (k *Kernel[T]) multiplyTile(depth int, a, b, c []T, ldc int, add bool) {
	TilePortable(depth, a, b, c, ldc, add)
}

// EndsInFew reports whether the last columns of so many are so few that they have a micro-kernel of their own: there is none.
func (t *Tiling) EndsInFew(_ int, _ bool) bool { return false }
