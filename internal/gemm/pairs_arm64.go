//go:build !noasm

package gemm

import "github.com/vinoir/vinoir/internal/cpu"

// HasPairs reports whether there is a kernel for pairs of bf16, or of f16, that is faster than that for float32.
func HasPairs(f16 bool) bool { return f16 && hasHalves() }

// pairRowsVectors is PairRows by assembly. It returns the number of pairs that it has set.
func pairRowsVectors(f16 bool, dst, first, second []float32) int {
	n := len(dst)
	if n < 8 || !f16 || !cpu.NEON.Available() {
		return 0
	}
	round := func(at, n int) {
		var more *float32
		if second != nil {
			more = &second[at]
		}
		halfRowsNEON(&dst[at], &first[at], more, n)
	}
	round(0, n&^7)
	if n%8 > 0 {
		round(n-8, 8)
	}
	return n
}

func pairPanelVectors(_ *Tiling, _, _ []float32, _, _, _ int) { panic("BUG: no assembly") }

func roundWordsVectors(_ []uint16, _ []float32) bool { return false }
