//go:build !noasm && (amd64 || arm64)

package depthwise

import (
	"github.com/vinoir/vinoir/internal/conv"
)

// vectorTaps returns f as a tapsFunc. It checks the bounds, since the assembly does not.
func vectorTaps(f func(out, in *float32, offsets *int, weights *float32, taps, n int, bias float32, clamp bool, lo, hi float32)) tapsFunc {
	return func(out, in []float32, offsets []int, weights []float32, bias float32, e *conv.Epilogue) {
		for _, at := range offsets {
			_ = in[at:][:len(out)]
		}
		_ = weights[len(offsets)-1]
		f(&out[0], &in[0], &offsets[0], &weights[0], len(offsets), len(out), bias, e.Clamp, e.Lo, e.Hi)
	}
}
