//go:build amd64 && !noasm

package depthwise

import "github.com/vinoir/vinoir/internal/cpu"

// pickTaps returns the fastest tapsFunc of this processor.
func pickTaps() tapsFunc {
	switch {
	case cpu.AVX512.Available():
		return vectorTaps(tapsAVX512)
	case cpu.FMA.Available():
		return vectorTaps(tapsAVX2)
	}
	return tapsPortable
}

// vectorEvens sets out[i] to in[2*i] for the first elements of out, and returns their number.
func vectorEvens(out, in []float32) int {
	n := min(len(out), len(in)/2) &^ 7
	if n == 0 || !cpu.AVX2.Available() {
		return 0
	}
	evensAVX2(&out[0], &in[0], n)
	return n
}
