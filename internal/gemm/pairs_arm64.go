//go:build !noasm

package gemm

import "github.com/vinoir/vinoir/internal/cpu"

// HasPairs reports whether there is a kernel for pairs of bf16, or of f16, that is faster than that for float32.
func HasPairs(f16 bool) bool { return f16 && hasHalves() }

// pairRowsVectors is PairRows by assembly. It returns the number of pairs that it has set.
func pairRowsVectors(f16 bool, dst, first, second []float32) int {
	n := len(dst) &^ 7
	if n == 0 || !f16 || second == nil || !cpu.NEON.Available() {
		return 0
	}
	halfRowsNEON(&dst[0], &first[0], &second[0], n)
	return n
}
