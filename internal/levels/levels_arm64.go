//go:build !noasm

package levels

import "github.com/vinoir/vinoir/internal/cpu"

// vectorCodes computes Codes with assembly. It returns the number of elements that it has computed,
// a multiple of 16.
func vectorCodes(out []uint8, x []float32, scale, shift, most float32) int {
	n := vectorPrefix(len(x))
	if n > 0 {
		codesNEON(&out[0], &x[0], n, scale, shift, most)
	}
	return n
}

// vectorValues computes Values with assembly, as vectorCodes does Codes.
func vectorValues(out []float32, x []uint8, low, step float32) int {
	n := vectorPrefix(len(x))
	if n > 0 {
		valuesNEON(&out[0], &x[0], n, low, step)
	}
	return n
}

// vectorPrefix returns how many of n elements the assembly computes.
func vectorPrefix(n int) int {
	if !cpu.NEON.Available() {
		return 0
	}
	return n &^ 15
}

// vectorRows reports that there is no assembly for rows.
func vectorRows([]float32, []byte, int) bool { return false }

// vectorSums computes nothing: Sums uses the assembly of other functions.
func vectorSums(_ []float32, _, _ []uint8, _ *Sum) int { return 0 }

// vectorSumCodes computes nothing, as vectorSums.
func vectorSumCodes(_, _, _ []uint8, _ *Sum) int { return 0 }
