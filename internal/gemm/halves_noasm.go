//go:build noasm || !arm64

package gemm

// hasHalves reports whether there is assembly for newHalves.
func hasHalves() bool { return false }

func multiplyHalfTiles(_ *Tiling, _ []float32, _ int, _, _ []float32, _ int, _ bool, _, _, _, _ int, _ *Epilogue[float32]) {
	panic("BUG: no assembly")
}
