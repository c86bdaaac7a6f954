//go:build noasm || (!amd64 && !arm64)

package gemm

// HasHalves reports whether products with matrices of PackHalves are as fast as those of float32. Without assembly, the conversion takes
// longer than what it saves.
func HasHalves() bool { return false }

// maxHalfRows is the number of rows that multiplyRows multiplies.
const maxHalfRows = 0

// multiplyRows does nothing: there is no assembly.
func (h *halves) multiplyRows(_ *Tiling, _ []float32, _ int, _ []float32, _ []uint16, _ int, _ bool, _, _, nLo, _ int, _ *Epilogue[float32]) int {
	return nLo
}
