package gemm

import "github.com/vinoir/vinoir/internal/gemm/tile"

// IsSmall reports whether MultiplySmall supports a product of m rows and n columns.
func IsSmall(k *Tiling, a, b Matrix[float32], m, n, depth int) bool {
	return a.ColStride == 1 && b.ColStride == 1 && isSmall(k, m, n, depth)
}

// MultiplySmall sets c, which has rows of n elements, to the product of a and b. It does not pack
// them, which takes long if a and b are small. IsSmall must be true.
func MultiplySmall(c []float32, a, b Matrix[float32], m, n, depth int, steps []Step) {
	multiplySmall(c, a, b, m, n, depth)
	tile.Apply(steps, c, n, 0, m, 0, n)
}
