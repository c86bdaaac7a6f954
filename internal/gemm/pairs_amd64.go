//go:build amd64 && !noasm

package gemm

import "github.com/vinoir/vinoir/internal/cpu"

// HasPairs reports whether there is a kernel for pairs of bf16.
func HasPairs() bool { return cpu.AVX512BF16.Available() }

// pairRowsVectors is PairRows by assembly. It returns false if the processor does not support it.
func pairRowsVectors(dst, first, second []float32) bool {
	if !cpu.AVX512BF16.Available() {
		return false
	}
	var more *float32
	if second != nil {
		more = &second[0]
	}
	pairRows(&dst[0], &first[0], more, len(dst))
	return true
}
