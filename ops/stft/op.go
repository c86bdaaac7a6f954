// Package stft computes STFT, the short-time Fourier transform, and ISTFT, its inverse.
//
//	STFT   Y[m, k] = sum over n of signal[m*step + n] * window[n] * exp(-2πi*k*n/N)
//
// ISTFT computes the inverse transforms of the frames and multiplies each by window. It adds them
// up, each frame_step elements after the one before, and divides by the sum of the squares of the
// window. If normalized is true, it multiplies by sqrt(N). If center is true, it cuts off N/2
// elements at each end.
//
// N is frame_size, step is frame_step, k counts from 0 to N/2, and window is padded with zeros at
// both ends to N elements. Complex numbers are pairs of numbers along the last axis.
//
// The window has (N-W)/2 zeros before its W elements, rounded down. An element that no window
// reaches, or only zeros of it, is 0, and so are elements of signal_length beyond the last frame.
// If center is true, the result starts at element N/2 and, with signal_length, is not cut at its
// end. f16 and bf16 are computed in float32 and rounded once.
//
// Versions: STFT-15, ISTFT-16.
//
// Inputs:
//   - signal [L] or [B,L] of STFT, data [N/2+1,M,2] or [B,N/2+1,M,2] of ISTFT, of a floating-point
//     type T.
//   - window, a vector of 1 to N elements of type T.
//   - frame_size and frame_step, scalars of i32 or i64.
//   - signal_length of ISTFT, optional, one element of i32 or i64: the length L that the result is
//     cut or padded to.
//
// Output, of type T:
//   - STFT: [M,N/2+1,2] or [B,M,N/2+1,2] for M frames; the axes of M and N/2+1 are swapped if
//     transpose_frames is true.
//   - ISTFT: [L] or [B,L].
//
// Attributes, without defaults in the specification: transpose_frames of STFT, center and
// normalized of ISTFT.
//
// Errors: a frame_size or frame_step below 1, a window longer than frame_size, a signal shorter
// than frame_size, and data of ISTFT without N/2+1 numbers for each frame.
//
// Specification: OpenVINO operation set, signals.
package stft

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/floats"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "ISTFT", Version: 16,
		Inputs:     ops.Between(4, 5),
		Attributes: parseInverse,
		Values:     []int{2, 3, 4},
		Infer:      inferInverse,
		Types:      floats.Types,
		Prepare:    widened.Prepare(widened.Halves, prepare(inverseProblem, inverse[float32], inverse[float64]), 0, 1),
	},
	{
		Type: "STFT", Version: 15,
		Inputs:     ops.Exactly(4),
		Attributes: parse,
		Values:     []int{2, 3},
		Infer:      infer,
		Types:      floats.Types,
		Prepare:    widened.Prepare(widened.Halves, prepare(forwardProblem, forward[float32], forward[float64]), 0, 1),
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
