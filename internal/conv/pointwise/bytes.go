package pointwise

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
)

// Bytes is the plan of a convolution of u8 with filters of i8:
//
//	out[n,o,y] = scale[o] * (sum over c of filters[o,c] * in[n,c,y]) + bias[o]
//
// The inputs of a box are converted to float32 and multiplied as those of a Plan. The sums are
// integers below 2^24, and so exact. A Bytes is safe for concurrent use.
type Bytes struct {
	shape   Shape
	columns int // of a box
	boxes   int // of an image
	stride  int // elements from one channel of a box to the next
}

// bytesProducts is the number of products for each element that is read or written from which on
// package implicit is faster, which multiplies pairs of i16.
const bytesProducts = 11

// NewBytes returns the plan of shape for a number of threads. It returns nil if package implicit is
// faster, or if there is no assembly.
func NewBytes(shape Shape, threads int) *Bytes {
	if !available() || gemm.QuadSize() != 2 || !shape.fits() || shape.In*shape.Out >= bytesProducts*(shape.In+shape.Out) {
		return nil
	}
	p := &Bytes{shape: shape}
	p.columns, p.boxes = shape.boxes(threads)
	p.stride = stride(p.columns)
	return p
}

// Filters returns filters [Out, In] as BytesCall.Filters.
func Filters(filters []int8) []float32 {
	floats := memory.Of[float32](len(filters))
	for i, w := range filters {
		floats[i] = float32(w)
	}
	return floats
}

// Items returns the number of work items. They are independent of each other.
func (p *Bytes) Items() int { return p.shape.Batch * p.boxes }

// ItemFlops returns the approximate number of operations of an item.
func (p *Bytes) ItemFlops() int { return 2 * p.shape.In * p.shape.Out * p.columns }

// Scratch returns the number of elements of BytesCall.Scratch: the inputs of a box, and some rows
// of its outputs.
func (p *Bytes) Scratch() int { return (p.shape.In + rows) * p.stride }

// BytesCall holds the tensors of one run of a Bytes.
type BytesCall struct {
	In      []uint8
	Filters []float32 // the result of Filters
	Scratch []float32 // of Scratch elements; calls that run at the same time must not share it
	Scale   []float32 // of each output channel
	// Epilogue has a Bias, and no Sum and no Levels. Without a Store, Out or Bytes is the output.
	// In Bytes, results are rounded, halves to even, after they were clamped to Lo and Hi, which
	// are 0 to 255 or a part of that.
	Epilogue *conv.Epilogue
	Out      []float32
	Bytes    []uint8
}

// Run computes items lo to hi-1. It ends early if stop is requested.
func (p *Bytes) Run(stop parallel.Stop, b *BytesCall, lo, hi int) {
	s, e := &p.shape, b.Epilogue
	in, line := b.Scratch[:s.In*p.stride], b.Scratch[s.In*p.stride:]
	for i := lo; i < hi && !stop.Requested(); i++ {
		image, first := i/p.boxes, i%p.boxes*p.columns
		columns := min(p.columns, s.Plane-first)
		for channel := range s.In {
			toFloats(in[channel*p.stride:], b.In[(image*s.In+channel)*s.Plane+first:][:columns])
		}
		c := call{inStep: 4 * p.stride, filterStep: 4 * s.In, depth: s.In, lo: e.Lo, hi: e.Hi}
		if e.Clamp {
			c.clamp = 1
		}
		for o := 0; o < s.Out; o += rows {
			count := min(rows, s.Out-o)
			c.filters, c.scale, c.bias = &b.Filters[o*s.In:][:count*s.In][0], &b.Scale[o:][:count][0], &e.Bias[o:][:count][0]
			at := (image*s.Out+o)*s.Plane + first
			c.in = &in[0]
			if b.Bytes != nil {
				p.bytes(&c, b.Bytes[at:][:(count-1)*s.Plane+columns], in, line, columns, count)
				continue
			}
			// whole vectors, of which the lines have room for the last one
			c.out, c.outStep, c.bytes = unsafe.Pointer(&line[:count*p.stride][0]), 4*p.stride, 0
			c.tiles, c.rest = columns/width, columns%width
			c.run(count)
			for row := range count {
				x, at := line[row*p.stride:][:columns], at+row*s.Plane
				if e.Store == nil {
					x = b.Out[at:][:copy(b.Out[at:], x)]
				}
				if e.Finish != nil {
					e.Finish(x, at)
				}
				if e.Store != nil {
					e.Store(x, at)
				}
			}
		}
	}
}

// bytes computes columns of count output channels into out, whose rows are a plane apart. line is
// memory for the last columns, which fill no vector.
func (p *Bytes) bytes(c *call, out []uint8, in, line []float32, columns, count int) {
	whole := columns &^ (lanes - 1)
	if whole > 0 {
		c.out, c.outStep, c.bytes = unsafe.Pointer(&out[0]), p.shape.Plane, 1
		c.tiles, c.rest = whole/width, whole%width
		c.run(count)
	}
	if whole == columns {
		return
	}
	ends := cast.Memory(line)[:rows*lanes]
	c.in, c.out, c.outStep, c.bytes = &in[whole], unsafe.Pointer(&ends[0]), lanes, 1
	c.tiles, c.rest = 0, lanes
	c.run(count)
	for row := range count {
		copy(out[row*p.shape.Plane+whole:][:columns-whole], ends[row*lanes:])
	}
}
