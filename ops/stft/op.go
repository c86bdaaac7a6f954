// Package stft computes short-time Fourier transforms: those of the frames of a
// signal, and the signal of its frames.
//
//	STFT   Y[m, k] = sum over n of signal[m*step + n] * window[n] * exp(-2πi*k*n/N)
//	ISTFT  adds up the inverse transforms of the frames, each step elements behind
//	       the one before it and times window, and divides by the sum of the window's
//	       squares; times sqrt(N) if normalized. With center, N/2 elements at either
//	       end are cut off.
//
// where N is frame_size, k goes from 0 to N/2, and window is padded with zeros on
// either side to N elements. Complex numbers are pairs of numbers along the last
// axis.
//
// Versions: STFT-15, ISTFT-16. Inputs, of floating-point type T: signal [L] or [B,L]
// of STFT, data [N/2+1,M,2] or [B,N/2+1,M,2] of ISTFT; window, a vector of 1 to N
// elements. Of type i32 or i64: frame_size N and frame_step, scalars; signal_length
// of ISTFT, optional, of one element: the length L that the result is cut or filled
// to. Output: T; that of STFT has M frames along the axis before that of k, or behind
// it with transpose_frames.
//
// Attributes: transpose_frames of STFT, center and normalized of ISTFT, all without a
// default. Errors: a frame_size or frame_step below 1, a window longer than frame_size,
// a signal shorter than it, and data of ISTFT without N/2+1 numbers a frame.
//
// Specification: OpenVINO operation set, signals.
package stft

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "ISTFT", Version: 16,
		Inputs:     ops.Between(4, 5),
		Attributes: parseInverse,
		Values:     []int{2, 3, 4},
		Infer:      inferInverse,
	},
	{
		Type: "STFT", Version: 15,
		Inputs:     ops.Exactly(4),
		Attributes: parse,
		Values:     []int{2, 3},
		Infer:      infer,
	},
}

type attributes struct {
	transposeFrames bool
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("transpose_frames")
	return attributes{a.Bool("transpose_frames", false)}, a.Err()
}

type inverseAttributes struct {
	center, normalized bool
}

func parseInverse(a *ir.Attributes) (any, error) {
	a.Expect("center")
	a.Expect("normalized")
	return inverseAttributes{a.Bool("center", false), a.Bool("normalized", false)}, a.Err()
}
