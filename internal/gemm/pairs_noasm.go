//go:build noasm || (!amd64 && !arm64)

package gemm

// HasPairs reports whether there is a kernel for pairs of bf16, or of f16, that is faster than that for float32.
func HasPairs(_ bool) bool { return false }

func pairRowsVectors(_ bool, _, _, _ []float32) int { return 0 }

func pairPanelVectors(_ *Tiling, _, _ []float32, _, _, _ int) { panic("BUG: no assembly") }

func roundWordsVectors(_ []uint16, _ []float32) bool { return false }
