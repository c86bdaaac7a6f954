// Package conv convolves float32 tensors laid out as [N, C, spatial axes], in one, two
// and three dimensions. There are three plans: Implicit, a product of matrices, for any
// convolution and for transposed ones; Winograd for windows of 3 by 3; Depthwise for
// groups of one input channel. Each says how its work falls into items, which a caller
// can run in parallel, and how much scratch memory they need; an Epilogue is applied to
// outputs while they are in registers or in the cache.
//
// Padding is made of zeros: an output whose window reaches beyond the input is NaN
// where an element of the filter there is not finite. Winograd's outputs share sums, so
// that an input that is not finite makes NaN of all outputs of its tile.
package conv

// Axis is the window of a convolution along one spatial axis.
type Axis struct {
	Input, Output    int // lengths
	Kernel           int
	Stride, Dilation int
	PadBegin         int // elements before the input; negative ones are cut off
}

// At returns the place in the input of element k of output o's window, which lies
// outside where it is negative or Input or more.
func (a *Axis) At(o, k int) int { return o*a.Stride + k*a.Dilation - a.PadBegin }

// Epilogue is what becomes of a finished element of the output.
type Epilogue struct {
	// Bias of each output channel is added where it is not nil.
	Bias []float32
	// Clamp sets x to min(max(x, Lo), Hi), NaN to Lo.
	Clamp  bool
	Lo, Hi float32
	// Finish, where not nil, is called for contiguous pieces of the output, which
	// are the elements at, at+1, ..., while they are in the cache.
	Finish func(x []float32, at int)
}

func ceilDiv(n, d int) int { return (n + d - 1) / d }
