//go:build amd64 && !noasm

package conv

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

// vectorTaps returns f as a tapsFunc. It checks the bounds, since the assembly does not.
func vectorTaps(f func(out, in *float32, offsets *int, weights *float32, taps, n int, bias float32, clamp bool, lo, hi float32)) tapsFunc {
	return func(out, in []float32, offsets []int, weights []float32, bias float32, e *Epilogue) {
		for _, at := range offsets {
			_ = in[at:][:len(out)]
		}
		_ = weights[len(offsets)-1]
		f(&out[0], &in[0], &offsets[0], &weights[0], len(offsets), len(out), bias, e.Clamp, e.Lo, e.Hi)
	}
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
