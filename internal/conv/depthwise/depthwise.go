// Package depthwise computes convolutions with one input channel in each group, and their
// transposes.
package depthwise

import (
	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
)

//go:generate go run ./_neon/floats -out depthwise_arm64.s -stubs stubs_arm64.go -pkg depthwise

// Shape describes a convolution with one input channel in each group.
type Shape struct {
	Batch, Channels int          // of the input
	Multiplier      int          // output channels of each input channel
	Axes            [3]conv.Axis // depth, height and width; all lengths of a missing axis are 1
}

// Plan is the plan of a depthwise convolution:
//
//	out[n,o,y...] = bias[o] + sum over k... of weights[o,k...] * in[n,o/multiplier,at(y,k)...]
//
// The input is [Batch, Channels, spatial axes], the weights are [Channels*Multiplier, kernel axes]
// and the output is [Batch, Channels*Multiplier, spatial axes]. A Plan is safe for concurrent
// use.
type Plan struct {
	shape             Shape
	inPlane, outPlane int
	kernel            int // elements of a filter
	bands, bandRows   int // bands of an output plane, rows of a band
	itemsPerCall      int // planes that one call of direct computes
	direct            *directPlan
	taps              *tapPlan // if direct is nil
}

// bandSize is the approximate number of outputs of a band: few enough to be in the second-level
// cache when Finish reads them, and enough work for an item.
const bandSize = 16 << 10

// callOutputs is the approximate number of outputs that one call computes if planes are small.
const callOutputs = 4 << 10

// maxColumns is the length of the longest output row of a directPlan, whose memory grows with it.
const maxColumns = 1 << 16

// TableBytes returns the size of the tables of New for shape, at most.
func (s *Shape) TableBytes() int64 {
	z, y, x := &s.Axes[0], &s.Axes[1], &s.Axes[2]
	// The rows and columns of tiles, and two numbers for each element of a filter.
	return memory.Sum(memory.Size[[32]byte](y.Output), memory.Size[[64]byte](min(x.Output, maxColumns)),
		memory.Size[[16]byte](z.Kernel, y.Kernel, x.Kernel))
}

// New returns the plan of shape. It returns nil if an axis is empty, or if the window
// reaches too far for a plan to be worth it.
func New(shape Shape) *Plan {
	z, y, x := &shape.Axes[0], &shape.Axes[1], &shape.Axes[2]
	d := &Plan{
		shape:    shape,
		inPlane:  z.Input * y.Input * x.Input,
		outPlane: z.Output * y.Output * x.Output,
		kernel:   z.Kernel * y.Kernel * x.Kernel,
	}
	if d.inPlane == 0 || d.outPlane == 0 || d.kernel == 0 {
		return nil
	}
	if d.direct = newDirectPlan(&shape); d.direct == nil {
		if d.taps = newTapPlan(&shape); d.taps == nil {
			return nil
		}
	}
	rows := z.Output * y.Output
	d.bandRows = rows
	if d.outPlane > 2*bandSize {
		step := d.direct.rowMultiple()
		d.bandRows = max(bandSize/x.Output/step, 1) * step
	}
	if d.bandRows > y.Output {
		// A band that spans several positions along the depth axis consists of whole ones.
		d.bandRows = max(d.bandRows/y.Output, 1) * y.Output
	}
	d.bands = (rows + d.bandRows - 1) / d.bandRows
	d.itemsPerCall = 1
	if d.direct != nil && d.bands == 1 && shape.Multiplier == 1 {
		d.itemsPerCall = max(callOutputs/d.outPlane, 1)
	}
	return d
}

// Items implements conv.Planes.
func (d *Plan) Items() int {
	return d.shape.Batch * d.shape.Channels * d.shape.Multiplier * d.bands
}

// ItemFlops implements conv.Planes.
func (d *Plan) ItemFlops() int { return 2 * d.kernel * d.outPlane / d.bands }

// Scratch implements conv.Planes.
func (d *Plan) Scratch() int {
	if d.taps != nil {
		return d.taps.size
	}
	return 0
}

// Run implements conv.Planes.
func (d *Plan) Run(stop parallel.Stop, out, in, weights []float32, e *conv.Epilogue, scratch []float32, lo, hi int) {
	channels := d.shape.Channels * d.shape.Multiplier
	width, rows := d.shape.Axes[2].Output, d.outPlane/d.shape.Axes[2].Output
	for i := lo; i < hi && !stop.Requested(); {
		plane := i / d.bands
		o := plane % channels
		first := i % d.bands * d.bandRows
		last := min(first+d.bandRows, rows)
		count := min(d.itemsPerCall, hi-i, channels-o)
		to := out[plane*d.outPlane:][:count*d.outPlane]
		from := in[plane/d.shape.Multiplier*d.inPlane:][:count*d.inPlane]
		filters := weights[o*d.kernel:][:count*d.kernel]
		var bias []float32
		if e.Bias != nil {
			bias = e.Bias[o:][:count]
		}
		if d.direct != nil {
			d.direct.run(to, from, filters, bias, e, count, first, last)
		} else {
			d.taps.run(stop, to, from, filters, bias, e, scratch, first, last)
		}
		if e.Finish != nil {
			piece := to[first*width : (count-1)*d.outPlane+last*width]
			e.Finish(piece, plane*d.outPlane+first*width)
		}
		i += count
	}
}
