package conv

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/memory"
)

// Call is one run of an Implicit.
type Call struct {
	In, Out  []float32
	Filters  []float32 // as PackFilters packed them, or as they are if not constant
	Scratch  []byte
	Epilogue *Epilogue
}

// layout is where things are in the scratch memory, in elements.
type layout struct {
	threads int
	slots   int // a slot for each item, behind the number of the next unit that none has taken
	slot    int // elements of a slot: a band,
	panel   int // a panel of windows,
	bias    int // the bias of each row of a product,
	result  int // and results on their way to the output
	stride  int // columns of a row of these
	filters int // packed filters, where they are not constant, behind the slots
	total   int
}

// maxMemory bounds the elements of the scratch memory. Windows that are much larger
// than what they lie in would need more.
const maxMemory = 1 << 27

// place lays out the scratch memory; false where it is too large. There are rows
// results for each column.
func (m *Implicit) place(rows int) bool {
	total := 0
	fits := true
	take := func(n, of int) (at int) {
		at = total
		if fits = fits && float64(total)+float64(n)*float64(of) < maxMemory; fits {
			total = memory.Padded[float32](total + n*of)
		}
		return at
	}
	band, panel, most := 0, 0, 0
	for i := range m.products {
		p := &m.products[i]
		band, most = max(band, p.source.band), max(most, p.rows)
		panel = max(panel, p.kernel.KC*p.kernel.NR*p.panels(m.grid.columns))
		m.stride = ceilDiv(m.grid.columns, p.kernel.NR) * p.kernel.NR
	}
	take(band, 1)
	m.panel = take(panel, 1)
	m.bias = take(most, 1)
	m.result = total
	if m.grid.images > 1 || m.apart {
		take(m.stride, rows)
	}
	m.slot, total = total, 0
	take(1, 1)
	m.slots = take(m.slot, Items(m.units(), m.threads))
	m.filters = total
	if !m.constant {
		take(m.groups, m.groupLen)
	}
	m.total = total
	return fits
}

// ScratchBytes returns the bytes of Call.Scratch.
func (m *Implicit) ScratchBytes() int { return 4 * m.total }

// Begin must be called before the steps.
func (m *Implicit) Begin(scratch []byte) { clear(scratch[:4]) }

// Steps returns the number of steps, which are done one after the other: packing
// filters that are not constant, and computing.
func (m *Implicit) Steps() int {
	if m.constant {
		return 1
	}
	return 2
}

// Items returns the number of items of a step, which are worth a thread each.
func (m *Implicit) Items(step int) int {
	if step < m.Steps()-1 {
		return m.packItems()
	}
	return Items(m.units(), m.threads)
}

// Do does items lo to hi-1 of a step.
func (m *Implicit) Do(step int, c *Call, lo, hi int) {
	filters := c.Filters
	if !m.constant {
		filters = c.scratch(m.filters, m.FiltersLen())
	}
	if step < m.Steps()-1 {
		for ; lo < hi; lo++ {
			m.pack(filters, c.Filters, lo)
		}
		return
	}
	slot := c.scratch(m.slots+lo*m.slot, m.slot)
	for range Most(m.units(), m.threads, lo, hi) {
		unit := Next(c.Scratch)
		if unit >= m.units() {
			break
		}
		m.compute(c, filters, slot, unit)
	}
}

// scratch returns elements of the scratch memory.
func (c *Call) scratch(at, n int) []float32 { return cast.Bytes[float32](c.Scratch[4*at:])[:n] }

// compute computes a share of the output channels of a box of a group.
func (m *Implicit) compute(c *Call, filters, slot []float32, unit int) {
	b := m.grid.box(unit / m.shares / m.groups)
	group := unit / m.shares % m.groups
	o := operands{
		in: c.In[group*m.in*m.inPlane:], filters: filters[group*m.groupLen:],
		band: slot[:m.panel], panel: slot[m.panel:m.bias],
	}
	e := gemm.Epilogue[float32]{Clamp: c.Epilogue.Clamp, Lo: c.Epilogue.Lo, Hi: c.Epilogue.Hi}
	if c.Epilogue.Bias != nil {
		e.RowBias = c.Epilogue.Bias[group*m.out:][:m.out]
	}
	if m.apart {
		m.computePhases(c, &o, slot, &b, group, &e)
		return
	}
	lo, hi := m.share(unit % m.shares)
	at := (b.image*m.groups+group)*m.out*m.outPlane + b.at
	p := &m.products[0]
	if m.grid.images > 1 {
		p.multiply(slot[m.result:], m.stride, &o, &b, lo, hi, &e)
		m.deliver(c, slot[m.result:], &b, at, lo, hi)
		return
	}
	p.multiply(c.Out[at:], m.outPlane, &o, &b, lo, hi, &e)
	if c.Epilogue.Finish != nil {
		for row := lo; row < hi; row++ {
			at := at + row*m.outPlane
			c.Epilogue.Finish(c.Out[at:][:b.columns], at)
		}
	}
}

// deliver brings rows lo to hi-1 of the results of several images to the output.
func (m *Implicit) deliver(c *Call, results []float32, b *box, at, lo, hi int) {
	for row := lo; row < hi; row++ {
		line := results[row*m.stride:]
		for image := range b.images {
			at := at + (image*m.groups*m.out+row)*m.outPlane
			to := c.Out[at:][:m.outPlane]
			copy(to, line[image*m.outPlane:])
			if c.Epilogue.Finish != nil {
				c.Epilogue.Finish(to, at)
			}
		}
	}
}
