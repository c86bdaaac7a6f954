// Package conv convolves float32 tensors of the layout [N, C, spatial axes], with one, two or
// three spatial axes. It has six plans:
//
//   - Implicit, a matrix product, computes any convolution and any transposed convolution.
//   - Regions leaves out the products of an Implicit that lie in the padding.
//   - Winograd computes convolutions of one group with windows of 3 by 3.
//   - Depthwise computes convolutions with one input channel in each group, and DepthwiseTransposed
//     their transposes.
//   - DepthwiseBytes computes depthwise convolutions of bytes. An Implicit convolves bytes too.
//
// A plan divides its work into items, which the caller can run in parallel, and reports how much
// scratch memory they need. An Epilogue is applied to outputs while they are in registers or in
// the cache.
//
// Padding consists of zeros, which may be multiplied like other elements: an output whose window
// reaches beyond the input can be NaN if a filter element there is not finite. Finite tells callers
// whether that can be. Winograd does not
// take filters that are not finite, and inputs that are not finite change only the outputs whose
// windows cover them, in each of the plans.
package conv

import "github.com/vinoir/vinoir/internal/gemm"

// Axis describes a convolution along one spatial axis.
type Axis struct {
	Input, Output    int // lengths
	Kernel           int // elements of the window
	Stride, Dilation int // 1 or more
	PadBegin         int // zeros before the input; if negative, elements that are cut off there
}

// At returns the position in the input of element k of the window of output o. The position is
// outside the input if it is negative or at least Input.
func (a *Axis) At(o, k int) int { return o*a.Stride + k*a.Dilation - a.PadBegin }

// Epilogue is what is done to the outputs after their sums are complete: Bias, then Clamp, then
// Finish.
type Epilogue struct {
	// Bias, if not nil, holds a value for each output channel, which is added to its outputs.
	Bias []float32
	// Clamp sets x to min(max(x, Lo), Hi), and NaN to Lo.
	Clamp  bool
	Lo, Hi float32
	// Finish, if not nil, is called for contiguous pieces x of the output while they are in the
	// cache; at is the position of x[0] in the output. It can change x. Each output is passed
	// once, by the goroutine that computes it.
	Finish func(x []float32, at int)
	// Levels, if not nil, are the bytes that the output consists of, with a row for each output channel: see Quads.Bytes.
	Levels *gemm.Levels
	// Store, if not nil, writes pieces of the result to the output, which are elsewhere in x: see Geometry.Stored.
	Store func(x []float32, at int)
}

// ceilDiv returns n/d rounded up.
func ceilDiv(n, d int) int { return (n + d - 1) / d }

// covered reports whether each window of three neighbouring elements has one inside the input.
func (a *Axis) covered() bool { return a.PadBegin < a.Kernel && a.At(a.Output-1, 0) < a.Input }
