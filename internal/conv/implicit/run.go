package implicit

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/parallel"
)

// Steps returns the number of steps of a run: packing the filters if they are not constant, and
// computing the output.
func (m *Plan) Steps() int {
	if m.constant {
		return 1
	}
	return 2
}

// Items implements Product.
func (m *Plan) Items(step int) int {
	if step < m.Steps()-1 {
		return m.packItems()
	}
	return m.units()
}

// Do implements Product.
func (m *Plan) Do(step int, c Call, worker, lo, hi int) {
	filters := c.Filters
	if !m.constant {
		filters = cast.Slice[gemm.Lane](c.scratch(m.filters, m.FiltersLen()))
	}
	if step < m.Steps()-1 {
		for ; lo < hi; lo++ {
			m.pack(c.Stop, filters, c.Filters, lo)
		}
		return
	}
	slot := c.scratch(worker*m.slot, m.slot)
	for ; lo < hi && !c.Stop.Requested(); lo++ {
		m.compute(&c, filters, slot, lo)
	}
}

// compute computes a unit: a share of the output channels of a group, for one box. slot is the
// working memory.
func (m *Plan) compute(c *Call, filters []gemm.Lane, slot []float32, unit int) {
	b := m.grid.box(unit / m.shares / m.groups)
	group := unit / m.shares % m.groups
	o := operands{
		filters: filters[group*m.groupLen:], band: cast.Slice[gemm.Lane](slot[:m.panel]), panel: cast.Slice[gemm.Lane](slot[m.panel:m.bias]),
		stop: c.Stop, epilogue: c.Epilogue,
	}
	switch first := group * m.in * m.inPlane; {
	case m.packs && m.quads:
		o.bytes = c.Quads.In[first:]
	case m.packs:
		o.floats = c.Floats[first:]
	default:
		o.in = c.In[first:]
	}
	if c.Epilogue.Bias != nil {
		o.bias = c.Epilogue.Bias[group*m.out:][:m.out]
	}
	if m.quads {
		o.Flip, o.scale, o.flip = c.Quads.Outside, c.Quads.Scale[group*m.out:][:m.out], m.flip(c, &m.products[0])
		if l := c.Epilogue.Levels; l != nil {
			o.levels = l.Channels(group*m.out, (group+1)*m.out)
		}
		if c.Quads.Start != nil {
			o.Start = c.Quads.Start[group*m.out:][:m.out]
		}
	}
	if m.interleaved {
		m.computePhases(c, &o, slot, &b, group)
		return
	}
	lo, hi := channelShare(&m.products[0].kernel.Tiling, m.out, unit%m.shares, m.shares)
	at := (b.image*m.groups+group)*m.out*m.outPlane + b.at
	p := &m.products[0]
	if m.stored {
		m.computeStored(c, &o, slot, &b, at, lo, hi)
		return
	}
	if m.grid.images > 1 {
		p.multiply(slot[m.result:], m.stride, &o, &b, lo, hi)
		storeImages(m, c.Stop, c.Out, slot[m.result:], &b, at, lo, hi, c.Epilogue.Finish)
		return
	}
	p.multiply(c.Out[at:], m.outPlane, &o, &b, lo, hi)
	if c.Epilogue.Finish != nil {
		for row := lo; row < hi; row++ {
			at := at + row*m.outPlane
			c.Epilogue.Finish(c.Out[at:][:b.columns], at)
		}
	}
}

// computeStored computes rows lo to hi-1 of a box for Geometry.Stored. at is the position in the
// output of row 0 of the first image.
func (m *Plan) computeStored(c *Call, o *operands, slot []float32, b *box, at, lo, hi int) {
	p, results := &m.products[0], slot[m.result:]
	if c.Quads.Bytes == nil {
		p.multiply(results, m.stride, o, b, lo, hi)
		for row := lo; row < hi && !c.Stop.Requested(); row++ {
			for image := range b.images {
				columns := b.columns / b.images
				x, at := results[row*m.stride+image*columns:][:columns], at+(image*m.groups*m.out+row)*m.outPlane
				if c.Epilogue.Finish != nil {
					c.Epilogue.Finish(x, at)
				}
				c.Epilogue.Store(x, at)
			}
		}
		return
	}
	if m.grid.images == 1 {
		o.Bytes, o.BytesStride = c.Quads.Bytes[at:], m.outPlane
		p.multiply(results, m.stride, o, b, lo, hi)
		return
	}
	bytes := cast.Memory(slot[m.bytes:])
	o.Bytes, o.BytesStride = bytes, m.stride
	p.multiply(results, m.stride, o, b, lo, hi)
	storeImages(m, c.Stop, c.Quads.Bytes, bytes, b, at, lo, hi, nil)
}

// storeImages copies rows lo to hi-1 of the results of several images to out, and calls finish for
// them, which may be nil. at is the position in out of row 0 of the first image.
func storeImages[T float32 | uint8](m *Plan, stop parallel.Stop, out, results []T, b *box, at, lo, hi int, finish func(x []T, at int)) {
	for row := lo; row < hi && !stop.Requested(); row++ {
		line := results[row*m.stride:]
		for image := range b.images {
			at := at + (image*m.groups*m.out+row)*m.outPlane
			to := out[at:][:m.outPlane]
			copy(to, line[image*m.outPlane:])
			if finish != nil {
				finish(to, at)
			}
		}
	}
}
