// Package conv convolves float32 tensors laid out as [N, C, spatial axes]: packed
// weights in, ranges of work out, so that a caller can run ranges in parallel.
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
