package depthwise

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/levels"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
)

//go:generate go run ./_neon/bytes -out bytes_arm64.s -stubs bytes_stubs_arm64.go -pkg depthwise

// Bytes is the plan of a depthwise convolution of u8 with filters of i8:
//
//	out[n,o,y,x] = scale[o] * (sum over k, l of filters[o,k,l] * in[n,o/multiplier,at(y,k),at(x,l)]) + bias[o]
//
// The sums are exact. Elements outside of the input are a given byte, which channels can have
// different ones of. A Bytes is safe for concurrent use.
type Bytes struct {
	// output planes, output channels, and those of each input channel
	planes, channels, multiplier int
	y, x                         conv.Axis
	quads                        int // of a row of a filter
	// For the assembly, which reads 64 bytes for each quad of the windows of 16 outputs: for each
	// vector of outputs, which of the bytes are in a row of the input, by quad, and then which of
	// the outputs there are, as bits. table is nil if the windows are too far apart.
	table  []uint64
	places *bytesPlaces
	dots   *bytesDots // the same for other assembly; nil otherwise
	floats *Plan      // computes the sums in float32, where that is faster; nil otherwise
	atOnce int        // planes whose sums are in float32, or that Finish or Store read, at a time
}

// bytesPlaces are the places of the quads of 16 windows in 64 bytes: the four dwords that hold each
// four quads, and the bytes of the quads in these.
type bytesPlaces struct {
	dwords  [16]uint32
	shuffle [64]uint8
}

const (
	// MaxBytesKernel is the largest length of a window of a Bytes.
	MaxBytesKernel = 16
	// vectorLanes is the number of outputs of a vector.
	vectorLanes = 16
	// quadTaps is the number of elements of a row of a filter in a quad.
	quadTaps = 4
)

// NewBytes returns the plan of shape. It returns nil if the shape has three axes, an axis of the
// output or of the window is empty, or the window is too large.
func NewBytes(shape *Shape) *Bytes {
	z, y, x := &shape.Axes[0], shape.Axes[1], shape.Axes[2]
	if *z != (conv.Axis{Input: 1, Output: 1, Kernel: 1, Stride: z.Stride, Dilation: z.Dilation}) || min(y.Output, y.Kernel, x.Output, x.Kernel) == 0 || max(y.Kernel, x.Kernel) > MaxBytesKernel {
		return nil
	}
	d := &Bytes{channels: shape.Channels * shape.Multiplier, multiplier: shape.Multiplier, y: y, x: x, quads: conv.CeilDiv(x.Kernel, quadTaps)}
	d.planes = shape.Batch * d.channels
	d.atOnce = 1
	if d.multiplier == 1 {
		d.atOnce = min(callOutputs/(y.Output*x.Output)+1, d.channels)
	}
	if y.Input == 0 || x.Input == 0 {
		return d
	}
	wide := x.Output > maxColumns // the tables of the assembly for bytes would be large
	if !wide {
		d.dots = newBytesDots(&d.y, &d.x)
	}
	if d.dots == nil && (wide || floatsPay()) {
		// Bytes and filters are converted. The sums are integers, which are exact: a window has up
		// to 256 elements, so that they are below 1<<24.
		d.floats = New(Shape{Batch: 1, Channels: d.atOnce, Multiplier: 1, Axes: shape.Axes})
	}
	// The windows of four outputs are read from 16 bytes, which start with the window of the first.
	if d.dots == nil && d.floats == nil && 3*(x.Stride+x.Dilation) < 16 {
		d.vectors()
	}
	return d
}

// vectors sets the fields for the assembly.
func (d *Bytes) vectors() {
	x := &d.x
	d.places = &bytesPlaces{}
	for i := range d.places.shuffle {
		output, element := i/quadTaps%4, i%quadTaps
		d.places.shuffle[i] = uint8(output*x.Stride + element*x.Dilation)
		d.places.dwords[i/quadTaps] = uint32(i/vectorLanes*x.Stride + i/quadTaps%4)
	}
	for first := 0; first < x.Output; first += vectorLanes {
		for quad := range d.quads {
			at, mask := first*x.Stride+quad*quadTaps*x.Dilation-x.PadBegin, uint64(0)
			for i := range 64 {
				if at+i >= 0 && at+i < x.Input {
					mask |= 1 << i
				}
			}
			d.table = append(d.table, mask)
		}
		d.table = append(d.table, 1<<min(x.Output-first, vectorLanes)-1)
	}
}

// Key returns a name for the layout of the packed filters. Plans with the same key pack the same
// filters in the same way.
func (d *Bytes) Key() string {
	if d.floats != nil {
		return "depthwise floats"
	}
	if d.dots != nil {
		return "depthwise dots"
	}
	return "depthwise bytes"
}

// FilterLen returns the number of elements that PackFilters returns for an output channel.
func (d *Bytes) FilterLen() int {
	if d.floats != nil {
		return d.y.Kernel*d.x.Kernel + 1
	}
	if d.dots != nil {
		return d.dots.filterLen(d.y.Kernel * d.quads)
	}
	return d.y.Kernel * d.quads
}

// Scratch returns the number of elements of the scratch memory that Run needs.
func (d *Bytes) Scratch() int {
	switch {
	case d.dots != nil:
		return d.lineLen() + d.dots.scratch()
	case d.floats == nil:
		return d.lineLen()
	}
	return d.atOnce*(d.y.Input*d.x.Input+d.y.Output*d.x.Output+1) + d.floats.Scratch()
}

// lineLen returns the number of elements of the scratch memory for a row of the input outside of
// it.
func (d *Bytes) lineLen() int { return conv.CeilDiv(max(d.x.Input, 1), 4) }

// PackFilters returns filters [output channels, kernel axes] as quads of the elements of a row,
// which for bytes less 128 are followed by what their sums lack, or for sums in float32 as the bits
// of float32: all filters, then the sum of the elements of each.
func (d *Bytes) PackFilters(filters []int8) []uint32 {
	packed := memory.Of[uint32](d.channels * d.FilterLen())
	if d.floats != nil {
		packFloats(cast.Slice[float32](packed), filters, d.channels)
		return packed
	}
	size := d.y.Kernel * d.x.Kernel
	for i, w := range filters {
		row, element := i%size/d.x.Kernel, i%d.x.Kernel
		filter := packed[i/size*d.FilterLen():][:d.FilterLen()]
		filter[row*d.quads+element/quadTaps] |= uint32(uint8(w)) << (element % quadTaps * 8)
		if d.dots != nil {
			filter[d.y.Kernel*d.quads] += uint32(int32(w) * 128)
		}
	}
	return packed
}

// BytesTableBytes returns the size of the tables of NewBytes for shape, at most.
func (s *Shape) BytesTableBytes() int64 {
	const vector = 8 * (MaxBytesKernel/quadTaps + 4) // bytes of the tables for a vector of outputs
	return memory.Sum(s.TableBytes(), memory.Size[[vector]byte](min(s.Axes[2].Output, maxColumns)/vectorLanes+1))
}

// Planes returns the number of output planes.
func (d *Bytes) Planes() int { return d.planes }

// PlaneLen returns the number of elements of BytesCall.Plane.
func (d *Bytes) PlaneLen() int { return d.atOnce * d.y.Output * d.x.Output }

// BytesCall holds the tensors of one run of a Bytes.
type BytesCall struct {
	In      []uint8
	Filters []uint32  // the result of PackFilters
	Scratch []float32 // of Scratch elements; calls that run at the same time must not share it
	Outside []uint8   // what is outside of the input: one element, or one for each input channel
	Scale   []float32 // of each output channel
	// Epilogue has a Bias. Without a Store, Out or Bytes is the output. In Bytes, results are
	// rounded, halves to even, after they were clamped to Lo and Hi, which are 0 to 255 or a part
	// of that; or it has their levels, if Epilogue has Levels. A Store needs Plane, with PlaneLen
	// elements.
	Epilogue *conv.Epilogue
	Out      []float32
	Bytes    []uint8
	Plane    []float32
	starts   conv.Epilogue // for sums in float32
}

// bytesAtOnce is about the number of outputs that are computed between two looks at the request to
// stop.
const bytesAtOnce = 1 << 16

// Run computes output planes lo to hi-1. It ends early if stop is requested.
func (d *Bytes) Run(stop parallel.Stop, c *BytesCall, lo, hi int) {
	e, outPlane, inPlane := c.Epilogue, d.y.Output*d.x.Output, d.y.Input*d.x.Input
	p := bytesPlanes{stop: stop, scratch: c.Scratch, all: c, lo: float32(math.Inf(-1)), hi: float32(math.Inf(1))}
	if d.floats == nil {
		p.line, p.scratch = cast.Memory(c.Scratch[:d.lineLen()])[:max(d.x.Input, 1)], c.Scratch[d.lineLen():]
		p.setLine(c.Outside[0])
	}
	if e.Clamp {
		p.lo, p.hi = e.Lo, e.Hi
	}
	atOnce := d.atOnce
	if d.multiplier == 1 && e.Finish == nil && e.Store == nil && d.floats == nil {
		atOnce = bytesAtOnce/outPlane + 1
	}
	for lo < hi && !stop.Requested() {
		o, at := lo%d.channels, lo*outPlane
		p.count = min(atOnce, hi-lo, d.channels-o)
		p.first = o
		if d.floats == nil {
			if !d.readsOutside() {
				p.shareLine(c.Outside, o/d.multiplier)
			}
			p.filters = c.Filters[o*d.FilterLen():][:p.count*d.FilterLen()]
		}
		p.in = c.In[lo/d.multiplier*inPlane:][:p.count*inPlane]
		p.scale, p.bias = c.Scale[o:][:p.count], e.Bias[o:][:p.count]
		if e.Levels != nil {
			p.levels = *e.Levels.Channels(o, o+p.count)
		}
		switch {
		case c.Bytes != nil:
			p.bytes = c.Bytes[at:][:p.count*outPlane]
		case e.Store == nil:
			p.out = c.Out[at:][:p.count*outPlane]
		default:
			p.out = c.Plane[:p.count*outPlane]
		}
		switch {
		case d.floats != nil:
			d.runFloats(&p)
		case !d.runAssembly(&p):
			d.runPortable(&p)
		}
		if e.Finish != nil {
			e.Finish(p.out, at)
		}
		if e.Store != nil {
			e.Store(p.out, at)
		}
		lo += p.count
	}
}

// bytesPlanes are output planes and what they are computed from. The output is out, or bytes if
// that is not nil.
type bytesPlanes struct {
	stop  parallel.Stop
	all   *BytesCall
	first int // output channel
	count int
	in    []uint8
	// a row of the input outside of it, which all planes have; nil for sums in float32
	line        []uint8
	scratch     []float32
	filters     []uint32  // of the planes, as quads
	scale, bias []float32 // of each plane
	lo, hi      float32
	levels      levels.Levels // of each plane, if it has a Scale
	out         []float32
	bytes       []uint8
}

// setLine sets line to a byte.
func (p *bytesPlanes) setLine(outside uint8) {
	for i := range p.line {
		p.line[i] = outside
	}
}

// shareLine makes count the number of planes, from that of an input channel on, that have the same
// element outside, and sets line to it.
func (p *bytesPlanes) shareLine(outside []uint8, channel int) {
	if len(outside) == 1 {
		return
	}
	first, n := outside[channel], 1
	for n < p.count && outside[channel+n] == first {
		n++
	}
	p.count = n
	if p.line[0] != first {
		p.setLine(first)
	}
}

// runPortable computes planes.
func (d *Bytes) runPortable(p *bytesPlanes) {
	y, width := &d.y, d.x.Input
	for row := range p.count * y.Output {
		if p.stop.Requested() {
			return
		}
		plane, first := row/y.Output, y.At(row%y.Output, 0)
		var lines [MaxBytesKernel][]uint8
		for k := range y.Kernel {
			lines[k] = p.line
			if at := first + k*y.Dilation; at >= 0 && at < y.Input {
				lines[k] = p.in[(plane*y.Input+at)*width:][:width]
			}
		}
		d.portableRow(p, lines[:y.Kernel], plane, row)
	}
}

// portableRow computes a row of a plane. The rows of its windows read lines. row is counted through
// all planes.
func (d *Bytes) portableRow(p *bytesPlanes, lines [][]uint8, plane, row int) {
	x, filter := &d.x, p.filters[plane*d.FilterLen():]
	for column := range x.Output {
		sum := int32(0)
		for k, line := range lines {
			for l := range x.Kernel {
				v := p.line[0]
				if at := x.At(column, l); at >= 0 && at < x.Input {
					v = line[at]
				}
				sum += int32(v) * int32(int8(filter[k*d.quads+l/quadTaps]>>(l%quadTaps*8)))
			}
		}
		p.set(row*x.Output+column, plane, float32(sum))
	}
}

// set sets element i of the output, which is in the given plane, to the result for a sum.
func (p *bytesPlanes) set(i, plane int, sum float32) {
	v := float32(sum*p.scale[plane]) + p.bias[plane]
	if !(v > p.lo) { // NaN too
		v = p.lo
	}
	v = min(v, p.hi)
	if p.levels.Scale != nil {
		v = p.levels.Level(v, plane)
	}
	if p.bytes != nil {
		p.bytes[i] = uint8(math.RoundToEven(float64(v)))
	} else {
		p.out[i] = v
	}
}
