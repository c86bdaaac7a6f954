// Package conv describes convolutions of float32 tensors of the layout [N, C, spatial axes], with
// one, two or three spatial axes, and what their plans have in common. The plans are in packages of
// their own:
//
//   - implicit.Plan, a matrix product, computes any convolution and any transposed convolution,
//     also those of bytes and of pairs of bf16 or f16.
//   - implicit.Regions leaves out the products of an implicit.Plan that lie in the padding.
//   - winograd.Plan computes convolutions of one group with windows of 3 by 3.
//   - depthwise.Plan computes convolutions with one input channel in each group, and
//     depthwise.Transposed their transposes.
//   - depthwise.Bytes computes depthwise convolutions of bytes.
//   - pointwise.Plan computes convolutions with windows of one element and few channels.
//
// A plan divides its work into items, which the caller can run in parallel, and reports how much
// scratch memory they need. An Epilogue is applied to outputs while they are in registers or in
// the cache.
//
// Padding consists of zeros, which may be multiplied like other elements: an output whose window
// reaches beyond the input can be NaN if a filter element there is not finite. magnitude.Finite
// tells callers whether that can be. Package winograd does not take filters that are not finite,
// and inputs that are not finite change only the outputs whose windows cover them, in each of the
// plans.
package conv

import "github.com/vinoir/vinoir/internal/levels"

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

// Covered reports whether each window of three neighbouring elements has one inside the input.
func (a *Axis) Covered() bool { return a.PadBegin < a.Kernel && a.At(a.Output-1, 0) < a.Input }

// Epilogue is what is done to the outputs after their sums are complete: Bias, then Sum, then
// Clamp, then Finish.
type Epilogue struct {
	// Bias, if not nil, holds a value for each output channel, which is added to its outputs.
	Bias []float32
	// Sum, if not nil, returns what is added to the outputs, element by element, after Bias. Only
	// package pointwise takes one.
	Sum func() []float32
	// Clamp sets x to min(max(x, Lo), Hi), and NaN to Lo.
	Clamp  bool
	Lo, Hi float32
	// Finish, if not nil, is called for contiguous pieces x of the output while they are in the
	// cache; at is the position of x[0] in the output. It can change x. Each output is passed
	// once, by the goroutine that computes it.
	Finish func(x []float32, at int)
	// Levels, if not nil, are the bytes that the output consists of.
	Levels *levels.Levels
	// Store, if not nil, writes pieces of the result to the output, which are elsewhere in x: see
	// implicit.Geometry.
	Store func(x []float32, at int)
}

// CeilDiv returns n/d rounded up.
func CeilDiv(n, d int) int { return (n + d - 1) / d }

// Clamp sets each element v of x to min(max(v, lo), hi), and NaN to lo.
func Clamp(x []float32, lo, hi float32) {
	for i, v := range x {
		if !(v > lo) {
			v = lo
		}
		if v > hi {
			v = hi
		}
		x[i] = v
	}
}

// AxisBytes is the number of bytes that a plan needs for each element of a window along an axis:
// its offset, its place in a band, and what is needed to sort them.
const AxisBytes = 128

// MaxPhases is the largest number of phases of the three axes together that transposed convolutions
// have a plan for.
const MaxPhases = 1 << 12
