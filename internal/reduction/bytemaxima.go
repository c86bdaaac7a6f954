package reduction

import "github.com/vinoir/vinoir/internal/parallel"

// Window describes the windows of a pooling along one axis.
type Window struct {
	Input, Output    int // lengths
	Kernel           int // elements of the window
	Stride, Dilation int
	PadBegin         int // elements before the input
}

// ByteMaxima is the plan that finds the maxima of windows of planes of u8, by assembly. It is safe
// for concurrent use.
type ByteMaxima struct {
	y, x Window
	// wide says that the assembly for whole planes computes them. Otherwise the lines of the
	// windows are copied with zeros around them, and the assembly computes a row of outputs.
	wide bool
	// table is for whole planes: it has, for each vector of outputs, a mask of the bytes of each
	// tap that are in a row of the input, and a mask of the outputs.
	table []uint64
}

// maxTaps is the largest number of elements of a row of a window.
const maxTaps = 64

// maxPlane is the largest number of elements of the windows of a plane. A call of the assembly
// cannot be stopped; it takes some milliseconds.
const maxPlane = 1 << 26

// maxLine and maxLines bound the bytes of a line with zeros around it, and of all lines of a
// window: they are on the stack.
const maxLine, maxLines = 1 << 11, 1 << 13

// NewByteMaxima returns a plan; nil if there is no assembly for the processor or for the windows.
func NewByteMaxima(y, x Window) *ByteMaxima {
	if !hasByteMaxima() || x.Stride > 2 || x.Kernel > maxTaps || min(x.Kernel, y.Kernel, x.Input, y.Input, x.Output, y.Output) == 0 ||
		float64(y.Output)*float64(y.Kernel)*float64(x.Output+64)*float64(x.Kernel) > maxPlane {
		return nil
	}
	if y.Kernel == 1 {
		y.Dilation = 1 // it says nothing, and may be as large as an int
	}
	p := &ByteMaxima{y: y, x: x, wide: hasWideByteMaxima()}
	if !p.wide {
		if x.Dilation > maxLine || p.line() > maxLine || p.line() > maxLines/y.Kernel {
			return nil
		}
		return p
	}
	lanes := 64 / x.Stride
	for first := 0; first < x.Output; first += lanes {
		for k := range x.Kernel {
			at, mask := first*x.Stride+k*x.Dilation-x.PadBegin, uint64(0)
			for i := range 64 {
				if at+i >= 0 && at+i < x.Input {
					mask |= 1 << i
				}
			}
			p.table = append(p.table, mask)
		}
		p.table = append(p.table, 1<<min(x.Output-first, lanes)-1)
	}
	return p
}

// ByteMaximaTableBytes returns the size of the table of NewByteMaxima, at most.
func ByteMaximaTableBytes(x Window) int64 {
	if x.Kernel > maxTaps || x.Output > maxPlane {
		return 0
	}
	return 8 * int64(x.Output/32+1) * int64(x.Kernel+1)
}

// Planes sets the elements of out, which consists of planes, to the maxima of the windows of in, or
// to 0 for windows without elements. It ends early if stop is requested.
func (p *ByteMaxima) Planes(stop parallel.Stop, out, in []uint8) {
	outPlane, inPlane := p.y.Output*p.x.Output, p.y.Input*p.x.Input
	lines := byteLines{}
	for len(out) > 0 && !stop.Requested() {
		p.run(&lines, out, in)
		out, in = out[outPlane:], in[inPlane:]
	}
}

// byteLines are the lines of a window with zeros around them, and a row of outputs.
type byteLines struct {
	in  [maxLines]uint8
	out [maxLine]uint8
}

// line returns the bytes of a line with zeros around it: all that vectors of 32 outputs read.
func (p *ByteMaxima) line() int {
	return (p.x.Output+31)/32*32*p.x.Stride + (p.x.Kernel-1)*p.x.Dilation
}
