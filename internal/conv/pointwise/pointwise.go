// Package pointwise computes convolutions with windows of one element and few channels, whose time
// is that of reading and writing memory.
package pointwise

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/parallel"
)

// Shape describes a convolution with windows of one element, strides of 1 and no padding. The input
// is [Batch, In, Plane], the filters are [Out, In], and the output is [Batch, Out, Plane].
type Shape struct {
	Batch, In, Out int
	Plane          int // elements of a channel, of all spatial axes together
}

// Plan is the plan of a convolution:
//
//	out[n,o,y] = bias[o] + sum over c of filters[o,c] * in[n,c,y]
//
// Nothing is packed. Each output is written once, with all of the Epilogue but Finish. A tile has 4
// output channels and 24 columns. A box, which is an item, is some columns of an image, whose
// inputs stay in the cache while all output channels are computed.
//
// A Plan is safe for concurrent use.
type Plan struct {
	shape   Shape
	columns int // of a box
	boxes   int // of an image
	// elements from one channel to the next in the copy of a box; 0 if the input is read in place
	stride int
	noBias [rows]float32
}

// The size of a tile.
const (
	rows  = 4
	width = 24
	lanes = 8 // of a vector
)

// Where the plan is faster than a product, and how large its boxes are: see RATIONALE.md.
const (
	maxIn       = 128
	minPlane    = 400
	boxElements = 16 << 10 // of the input
)

// New returns the plan of shape for a number of threads. It returns nil if package implicit is
// faster, or if there is no assembly.
func New(shape Shape, threads int) *Plan {
	if !available() || !shape.fits() || isWide() && shape.In*shape.Out > wideProducts*(shape.In+shape.Out) {
		return nil
	}
	p := &Plan{shape: shape}
	p.columns, p.boxes = shape.boxes(threads)
	if shape.crowds() || shape.In*shape.Plane > inCache {
		p.stride = stride(p.columns)
	}
	return p
}

// fits reports whether s is not empty, has few channels, and has enough columns.
func (s *Shape) fits() bool {
	return s.Batch > 0 && s.In > 0 && s.In <= maxIn && s.Out > 0 && s.Plane >= minPlane
}

// boxes returns the number of columns of a box, and the number of boxes of an image.
func (s *Shape) boxes(threads int) (columns, boxes int) {
	most := boxElements / s.In
	if threads > 1 {
		most = min(most, s.Batch*s.Plane/(4*threads))
	}
	boxes = conv.CeilDiv(s.Plane, max(most, width))
	columns = conv.CeilDiv(s.Plane, boxes*width) * width
	return columns, conv.CeilDiv(s.Plane, columns)
}

// stride returns the number of elements from one row of a copy to the next: an odd number of lines,
// so that the same columns of all rows are in different places of the cache.
func stride(columns int) int { return (conv.CeilDiv(columns, line) | 1) * line }

// wideProducts is the largest number of products for each element that is read or written for which
// vectors of AVX2 are enough where there is AVX-512.
const wideProducts = 16

const (
	line    = 16      // elements of a line of the cache
	page    = 1 << 10 // elements after which places in the first-level cache repeat
	inCache = 2 << 20 // elements of an input that a cache may still hold
)

// crowds reports whether the same columns of all channels share few places in the cache.
func (s *Shape) crowds() bool { return s.Plane%(page/8) == 0 }

// Items implements conv.Planes.
func (p *Plan) Items() int { return p.shape.Batch * p.boxes }

// ItemFlops implements conv.Planes.
func (p *Plan) ItemFlops() int { return 2 * p.shape.In * p.shape.Out * p.columns }

// Scratch implements conv.Planes.
func (p *Plan) Scratch() int { return p.shape.In * p.stride }

// Run implements conv.Planes.
func (p *Plan) Run(stop parallel.Stop, out, in, weights []float32, e *conv.Epilogue, scratch []float32, lo, hi int) {
	s := &p.shape
	var sum []float32
	if e.Sum != nil {
		sum = e.Sum()
	}
	for i := lo; i < hi && !stop.Requested(); i++ {
		image, first := i/p.boxes, i%p.boxes*p.columns
		columns := min(p.columns, s.Plane-first)
		c := call{
			in:     &in[image*s.In*s.Plane:][:s.In*s.Plane][first],
			inStep: 4 * s.Plane, outStep: 4 * s.Plane, filterStep: 4 * s.In, depth: s.In,
		}
		if p.stride > 0 {
			for channel := range s.In {
				copy(scratch[channel*p.stride:][:columns], in[(image*s.In+channel)*s.Plane+first:])
			}
			c.in, c.inStep = &scratch[0], 4*p.stride
		}
		if e.Clamp {
			c.clamp, c.lo, c.hi = 1, e.Lo, e.Hi
		}
		for o := 0; o < s.Out; o += rows {
			count := min(rows, s.Out-o)
			at := (image*s.Out + o) * s.Plane
			c.out, c.filters, c.bias = unsafe.Pointer(&out[at:][:count*s.Plane][first]), &weights[o*s.In:][:count*s.In][0], &p.noBias[0]
			if e.Bias != nil {
				c.bias = &e.Bias[o:][:count][0]
			}
			if sum != nil {
				c.sum = &sum[at:][:count*s.Plane][first]
			}
			c.tiles, c.rest = columns/width, columns%width
			c.run(count)
		}
		if e.Finish == nil {
			continue
		}
		for o := range s.Out {
			at := (image*s.Out+o)*s.Plane + first
			e.Finish(out[at:][:columns], at)
		}
	}
}
