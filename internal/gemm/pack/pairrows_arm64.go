//go:build !noasm

package pack

import "github.com/vinoir/vinoir/internal/cpu"

// pairRowsVectors is PairRows by assembly. It returns the number of pairs that it has set.
func pairRowsVectors(f16 bool, dst []Pair, first, second []float32) int {
	n := len(dst)
	if n < 8 || !f16 || !cpu.NEON.Available() {
		return 0
	}
	round := func(at, n int) {
		var more *float32
		if second != nil {
			more = &second[at]
		}
		halfRowsNEON((*float32)(&dst[at]), &first[at], more, n)
	}
	round(0, n&^7)
	if n%8 > 0 {
		round(n-8, 8)
	}
	return n
}

func pairPanelVectors(_ int, _ []Pair, _ []float32, _, _, _ int) { panic("BUG: no assembly") }

func roundWordsVectors(_ []uint16, _ []float32) bool { return false }

func hasPairPanels() bool { return false }
