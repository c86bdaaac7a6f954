package conv

import "github.com/vinoir/vinoir/internal/gemm"

// work is what a step of an Implicit does.
type work uint8

const (
	packFilters work = iota
	computeBoxes
	packWindows
	computeRows
)

// step is a loop whose items any number of threads may share; the next one starts
// when it has ended.
type step struct {
	work
	unit  int // the box and group, of those that the threads share the rows of
	items int
	grain int
}

// newSteps returns the steps. Those that take items by themselves have one item for
// each thread, which goes on until nothing is left.
func (m *Implicit) newSteps(constant bool) []step {
	k := &m.kernel
	var steps []step
	if !constant {
		grain := 1<<16/(m.depth*k.MR) + 1
		steps = append(steps, step{work: packFilters, items: m.geometry.Groups * k.PanelsA(m.geometry.Out), grain: grain})
	}
	if !m.rows {
		return append(steps, step{work: computeBoxes, items: m.threads, grain: 1})
	}
	for unit := range m.units() {
		steps = append(steps,
			step{work: packWindows, unit: unit, items: m.threads, grain: 1},
			step{work: computeRows, unit: unit, items: m.threads, grain: 1})
	}
	return steps
}

// units returns the number of boxes of all groups.
func (m *Implicit) units() int { return m.grid.boxes() * m.geometry.Groups }

// Steps returns the number of steps, which Do must do one after the other.
func (m *Implicit) Steps() int { return len(m.steps) }

// Items returns the number of items of a step, and how many make a part that is
// worth a thread.
func (m *Implicit) Items(step int) (n, grain int) { return m.steps[step].items, m.steps[step].grain }

// Begin must be called before the first step.
func (m *Implicit) Begin(scratch []byte) { clear(scratch[:4*len(m.steps)]) }

// Do does items lo to hi-1 of a step.
func (m *Implicit) Do(step int, c *Call, lo, hi int) {
	s := &m.steps[step]
	switch s.work {
	case packFilters:
		packed := c.scratch(m.filters, m.filtersLen())
		panels := m.kernel.PanelsA(m.geometry.Out)
		for item := lo; item < hi; item++ {
			m.packPanels(packed, c.Filters, item/panels, item%panels, item%panels+1)
		}
	case computeBoxes:
		for unit := c.next(step); unit < m.units(); unit = c.next(step) {
			m.computeBox(c, m.slotOf(c, lo), unit)
		}
	case packWindows:
		b := m.grid.box(s.unit / m.geometry.Groups)
		shared := c.scratch(m.shared, m.filters-m.shared)
		for i := c.next(step); i < m.kernel.Blocks(m.depth); i = c.next(step) {
			m.packBlock(shared, m.windows(m.slotOf(c, lo), c.In, &b, s.unit%m.geometry.Groups, i), &b, i)
		}
	case computeRows:
		m.computeShare(c, m.slotOf(c, lo), step)
	}
}

// slotOf returns the scratch memory of a thread.
func (m *Implicit) slotOf(c *Call, thread int) []float32 {
	return c.scratch(m.slots+thread*m.slot, m.slot)
}

// wide returns a number of columns rounded up to panels.
func (m *Implicit) wide(columns int) int { return m.kernel.PanelsB(columns) * m.kernel.NR }

// windows returns what block i of the windows of a box is packed of.
func (m *Implicit) windows(slot, in []float32, b *box, group, i int) []float32 {
	s := m.source
	return s.block(in[group*m.geometry.In*s.plane:], slot[:s.band], b, i)
}

// result is where the product of a box goes: columns of the output, or memory of its
// own where they are not neighbours there.
type result struct {
	data   []float32
	stride int
	at     int // of the output where data starts
}

func (m *Implicit) resultOf(c *Call, slot []float32, b *box, group int) result {
	r := result{stride: m.outPlane}
	r.at = (b.image*m.geometry.Groups+group)*m.geometry.Out*m.outPlane + b.at
	if m.grid.images > 1 {
		r.stride = m.wide(m.grid.columns)
		r.data = slot[m.result:]
		return r
	}
	r.data = c.Out[r.at:]
	return r
}

// rowsAtOnce is the number of rows of the filters that stay in the cache while the
// windows of a box pass by.
func (m *Implicit) rowsAtOnce() int {
	k := &m.kernel
	return max(cacheElements/2/k.KC/k.MR, 1) * k.MR
}

// computeBox computes all output channels of a box. A panel of windows is used as soon
// as it is packed.
func (m *Implicit) computeBox(c *Call, slot []float32, unit int) {
	b, group := m.grid.box(unit/m.geometry.Groups), unit%m.geometry.Groups
	r := m.resultOf(c, slot, &b, group)
	k := &m.kernel
	panel, rows := slot[m.panel:m.result], m.rowsAtOnce()
	for i := range k.Blocks(m.depth) {
		from := m.windows(slot, c.In, &b, group, i)
		for lo := 0; lo < m.geometry.Out; lo += rows {
			next := newCursor(m.source, &b)
			for at := 0; at < b.columns; at += k.NR {
				columns := min(k.NR, b.columns-at)
				m.source.panel(panel, from, &next, i, k.NR, columns)
				m.multiply(c, r.data[at:], r.stride, panel, group, i, lo, min(lo+rows, m.geometry.Out), columns)
			}
		}
	}
	m.finish(c, &r, &b, group, 0, m.geometry.Out)
}

// packBlock packs block i of the windows of a box that the threads share.
func (m *Implicit) packBlock(shared, from []float32, b *box, i int) {
	k := &m.kernel
	shared = shared[i*k.KC*m.wide(b.columns):]
	next := newCursor(m.source, b)
	for at := 0; at < b.columns; at += k.NR {
		panel := shared[at*k.Depth(i, m.depth):]
		m.source.panel(panel, from, &next, i, k.NR, min(k.NR, b.columns-at))
	}
}

// computeShare computes rows of a box that is packed already, some at a time.
func (m *Implicit) computeShare(c *Call, slot []float32, step int) {
	unit := m.steps[step].unit
	b, group := m.grid.box(unit/m.geometry.Groups), unit%m.geometry.Groups
	r := m.resultOf(c, slot, &b, group)
	shared := c.scratch(m.shared, m.filters-m.shared)
	k := &m.kernel
	rows := ceil(k.PanelsA(m.geometry.Out), 2*m.threads) * k.MR
	for lo := c.next(step) * rows; lo < m.geometry.Out; lo = c.next(step) * rows {
		hi := min(lo+rows, m.geometry.Out)
		for i := range k.Blocks(m.depth) {
			m.multiply(c, r.data, r.stride, shared[i*k.KC*m.wide(b.columns):], group, i, lo, hi, b.columns)
		}
		m.finish(c, &r, &b, group, lo, hi)
	}
}

// multiply adds block i of the product to rows lo to hi-1 of some columns.
func (m *Implicit) multiply(c *Call, result []float32, stride int, panels []float32, group, i, lo, hi, columns int) {
	e := gemm.Epilogue[float32]{Clamp: c.Epilogue.Clamp, Lo: c.Epilogue.Lo, Hi: c.Epilogue.Hi}
	if c.Epilogue.Bias != nil {
		e.RowBias = c.Epilogue.Bias[group*m.geometry.Out:][:m.geometry.Out]
	}
	filters := c.Filters
	if m.filters < m.total {
		filters = c.scratch(m.filters, m.filtersLen())
	}
	m.kernel.MultiplyThen(result, stride, m.filterBlock(filters, group, i), panels, m.depth, i, lo, hi, 0, columns, &e)
}

// finish brings rows lo to hi-1 of a box to their place, and finishes them.
func (m *Implicit) finish(c *Call, r *result, b *box, group, lo, hi int) {
	if m.grid.images == 1 {
		if c.Epilogue.Finish == nil {
			return
		}
		for row := lo; row < hi; row++ {
			at := r.at + row*m.outPlane
			c.Epilogue.Finish(c.Out[at:][:b.columns], at)
		}
		return
	}
	for row := lo; row < hi; row++ {
		from := r.data[row*r.stride:]
		for image := range b.images {
			at := r.at + (image*m.geometry.Groups*m.geometry.Out+row)*m.outPlane
			to := c.Out[at:][:m.outPlane]
			copy(to, from[image*m.outPlane:])
			if c.Epilogue.Finish != nil {
				c.Epilogue.Finish(to, at)
			}
		}
	}
}
