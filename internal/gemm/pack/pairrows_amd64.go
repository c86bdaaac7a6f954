//go:build amd64 && !noasm

package pack

import "github.com/vinoir/vinoir/internal/cpu"

// pairRowsVectors is PairRows by assembly. It returns the number of pairs that it has set.
func pairRowsVectors(f16 bool, dst []Pair, first, second []float32) int {
	n := len(dst)
	if f16 {
		n &^= 7
	}
	if n == 0 || f16 && !cpu.FMA.Available() || !f16 && !cpu.AVX512BF16.Available() {
		return 0
	}
	var more *float32
	if second != nil {
		more = &second[0]
	}
	if f16 {
		pairHalves((*float32)(&dst[0]), &first[0], more, n)
	} else {
		pairRows((*float32)(&dst[0]), &first[0], more, n)
	}
	return n
}

// pairPanelVectors is PairPanel for whole pairs of rows.
func pairPanelVectors(width int, panel []Pair, src []float32, stride, pairs, columns int) {
	if pairs == 0 {
		return
	}
	// The assembly does not check bounds.
	_, _ = panel[pairs*width-1], src[(2*pairs-1)*stride+columns-1]
	pairPanel((*float32)(&panel[0]), &src[0], stride, pairs, columns)
}

// roundWordsVectors sets dst[i] to the bf16 nearest to src[i], which is not empty, by assembly. It
// returns false if there is none.
func roundWordsVectors(dst []uint16, src []float32) bool {
	if !cpu.AVX512BF16.Available() {
		return false
	}
	_ = dst[len(src)-1] // the assembly does not check bounds
	roundWords(&dst[0], &src[0], len(src))
	return true
}

func hasPairPanels() bool { return cpu.AVX512BF16.Available() }
