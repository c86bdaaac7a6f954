//go:build noasm || !arm64

package gemm

// HasHalves reports whether there is a kernel for pairs of f16.
func HasHalves() bool { return false }

func halfRowsVectors(_, _, _ []float32) int { return 0 }

func multiplyHalfTiles(_ *Tiling, _ []float32, _ int, _, _ []float32, _ int, _ bool, _, _, _, _ int, _ *Epilogue[float32]) {
	panic("BUG: no assembly")
}
