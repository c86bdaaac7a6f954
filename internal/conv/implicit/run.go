package implicit

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/gemm/pack"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
)

// Call holds the tensors and the memory of one run of a Plan.
type Call struct {
	In  []gemm.Lane
	Out []float32
	// the input in the place of In, if a plan of pairs packs that: see PacksInput
	Floats []float32
	// the result of PackFilters, or the filters themselves if they are not constant
	Filters []gemm.Lane
	// ScratchBytes bytes, aligned for float32; runs at the same time must not share it
	Scratch  []byte
	Epilogue *conv.Epilogue // not nil
	Stop     parallel.Stop  // ends Do early
	Quads    Quads          // for quads
}

// Quads is what a convolution of quads needs besides.
type Quads struct {
	In      []uint8 // the input, if the plan packs that: see PacksInput
	Outside uint8   // a byte outside of the input: that of PackQuads
	// of each output channel, what is added to its sums: that of FilterStarts; not of a transposed
	// convolution
	Start []int32
	// of each output channel, what its sums are multiplied by before the bias is added
	Scale []float32
	// Sums is the result of PhaseSums for a transposed convolution, whose data is the bytes less
	// Zero. Its Epilogue must have a Bias.
	Sums []int32
	Zero uint8
	// Bytes is the output for Geometry.Stored: the results are rounded, halves to even, after they
	// were clamped to Epilogue.Lo and Hi, which are 0 to 255 or a part of that; or their levels, if
	// the Epilogue has Levels, which it must not where gemm.HasLevels is false, or for a transposed
	// convolution. It is nil if Epilogue.Store writes the output.
	Bytes []uint8
}

// Product is a plan that multiplies packed filters: a Plan or a Regions.
type Product interface {
	// Key returns a name for the layout of the packed filters. Plans with the same key pack the
	// same filters in the same way.
	Key() string
	// FiltersLen returns the number of elements of the packed filters.
	FiltersLen() int
	// PackFilters returns constant filters in the layout that Call.Filters needs. It ends early if
	// stop is requested.
	PackFilters(stop parallel.Stop, filters []gemm.Lane) []gemm.Lane
	// ScratchBytes returns the length of Call.Scratch in bytes.
	ScratchBytes() int
	// Steps returns the number of steps of a run. A step must be complete before the next one
	// begins.
	Steps() int
	// Workers returns the number of workers for which there is scratch memory.
	Workers() int
	// Items returns the number of work items of a step. They can run in parallel, and each is worth
	// a thread.
	Items(step int) int
	// Do runs items lo to hi-1 of a step. Two calls at the same time have different workers, which
	// are numbers below Workers.
	Do(step int, c Call, worker, lo, hi int)
}

// layout describes the scratch memory: a slot for each worker, and filters that are not constant.
// Positions and sizes are in elements.
type layout struct {
	threads int
	workers int
	slot    int // size of a slot, which starts with a band
	panel   int // where the panels of windows start in a slot
	bias    int // where the bias of each row of a product starts
	scale   int // where the scales of these rows start, for quads
	line    int // where a line of the output starts that Epilogue.Store reads
	result  int // where results start that are not written directly to the output
	bytes   int // where they start once they are bytes
	stride  int // elements from one row of these results to the next
	filters int // where packed filters start if they are not constant
	total   int
}

// maxMemory is the largest number of elements of the scratch memory. Only windows that are much
// larger than the input need more.
const maxMemory = 1 << 27

// layOut sets the layout of the scratch memory. It returns false if that would be too large. rows
// is the number of results of each column.
func (m *Plan) layOut(rows int) bool {
	l := taker{fits: true}
	band, panel, most := 0, 0, 0
	for i := range m.products {
		p := &m.products[i]
		band, most = max(band, p.source.band), max(most, p.rows)
		panel = max(panel, p.kernel.KC*p.kernel.NR*p.bufferedPanels(m.grid.columns))
		m.stride = conv.CeilDiv(m.grid.columns, p.kernel.NR) * p.kernel.NR
	}
	l.take(band, 1)
	m.panel = l.take(panel, 1)
	m.bias = l.take(most, 1)
	if m.phases != nil && m.quads {
		m.scale = l.take(most, 1)
		m.line = l.take(m.grid.columns, m.phases.strides[2])
	}
	m.result = l.total
	if m.grid.images > 1 || m.interleaved || m.stored {
		l.take(m.stride, rows)
	}
	m.bytes = l.total
	if (m.grid.images > 1 || m.interleaved) && m.stored {
		l.take(conv.CeilDiv(m.stride, 4), rows)
	}
	m.takeSlots(&l, m.units())
	m.filters = l.total
	if !m.constant {
		l.take(m.groups, m.groupLen)
	}
	m.total = l.total
	return l.fits
}

// takeSlots makes what l has taken a slot, and lays out the slots of the workers for n units.
func (y *layout) takeSlots(l *taker, n int) {
	y.slot, l.total = l.total, 0
	y.workers = max(min(y.threads, n), 1)
	l.take(y.slot, y.workers)
	y.total = l.total
}

// taker adds up scratch memory, in elements.
type taker struct {
	total int
	fits  bool // the sum is below maxMemory
}

// take adds n*of elements and returns their position.
func (l *taker) take(n, of int) (at int) {
	at = l.total
	if l.fits = l.fits && float64(l.total)+float64(n)*float64(of) < maxMemory; l.fits {
		l.total = memory.Padded[float32](l.total + n*of)
	}
	return at
}

// ScratchBytes implements Product.
func (y *layout) ScratchBytes() int { return 4 * y.total }

// Workers implements Product.
func (y *layout) Workers() int { return y.workers }

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

// scratch returns n elements of the scratch memory from position at on.
func (c *Call) scratch(at, n int) []float32 { return cast.Bytes[float32](c.Scratch[4*at:])[:n] }

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

// flip returns what quads of a band of p are combined with by exclusive or.
func (m *Plan) flip(c *Call, p *product) uint32 {
	if m.unflips(p) {
		return pack.Flips(c.Quads.Outside ^ m.zero)
	}
	return 0
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
