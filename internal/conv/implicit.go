package conv

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/memory"
)

// Geometry is a convolution of an input [Batch, Groups*In, spatial...] with filters
// [Groups, Out, In, kernel...].
type Geometry struct {
	Batch, Groups int
	In, Out       int // channels of a group
	Axes          [3]Axis
}

// Implicit computes convolutions as the product of the filters and a matrix of the
// windows, of which there is no more at a time than the cache holds. It goes box by
// box of the output; a box is computed for all output channels, unless there are so
// few boxes that threads have to share them.
//
// A transposed convolution is several products, one for each set of places of windows
// relative to the filters, as many of which as the strides go into the output.
type Implicit struct {
	batch, groups int
	in, out       int // channels of a group
	inPlane       int // elements of a channel
	outPlane      int
	products      []product
	phases        *phasing // of a transposed convolution
	apart         bool     // the results are not columns of the output
	grid          grid
	shares        int // of the output channels of a box
	constant      bool
	groupLen      int // packed filters of a group
	layout
}

// NewImplicit returns the kernel of g, which has outputs and windows of at least one
// element, for a number of threads; nil where the scratch memory would be too large.
// constant says that the filters are packed once.
func NewImplicit(g *Geometry, threads int, constant bool) *Implicit {
	m := &Implicit{batch: g.Batch, groups: g.Groups, in: g.In, out: g.Out, constant: constant, outPlane: 1}
	var walks [3]walk
	taps := 1
	for i := range g.Axes {
		walks[i] = newWalk(&g.Axes[i])
		taps *= g.Axes[i].Kernel
		m.outPlane *= g.Axes[i].Output
	}
	join(&walks)
	m.products = []product{newProduct(g.Out, g.In, taps)}
	if !m.plan([][3]walk{walks}, g.Out, threads) {
		return nil
	}
	return m
}

// plan cuts the output into boxes, and lays out the memory; false if that is too
// much. There are rows results for each column.
func (m *Implicit) plan(walks [][3]walk, rows, threads int) bool {
	m.threads = max(threads, 1)
	m.inPlane = walks[0][0].input * walks[0][1].input * walks[0][2].input
	p := &m.products[0]
	pixels := m.batch * walks[0][0].output * walks[0][1].output * walks[0][2].output
	share := m.threads
	if pixels < fewPixels {
		share = 1 // threads share the output channels
	}
	if !m.apart {
		rows = min(rows, p.rowsAtOnce())
	}
	m.grid = newGrid(&walks[0], m.batch, p.columns(rows), share)
	m.shares = 1
	if !m.apart {
		m.shares, rows = m.evenShares(p), m.out
	}
	for i := range m.products {
		p := &m.products[i]
		p.filters = m.groupLen
		if panels := p.kernel.PanelsA(p.rows) * p.kernel.MR; panels > 2*p.rows && float64(panels)*float64(p.depth)*float64(m.groups) > maxMemory {
			return false // few rows and much depth: packed, most of it would be zeros
		}
		m.groupLen += p.filtersLen()
		if p.depth == 0 {
			p.source = &source{}
			continue
		}
		if p.source = newSource(&walks[i], m.in, m.groups*m.in*m.inPlane, p.kernel.KC, &m.grid); p.source == nil {
			return false
		}
	}
	return m.place(rows)
}

// fewPixels is a number of outputs of a channel that is not worth sharing.
const fewPixels = 128

// evenShares returns in how many shares the output channels are cut: so many that the
// results of a box stay in the cache, and that each thread has as many as the others.
func (m *Implicit) evenShares(p *product) int {
	panels, boxes := p.kernel.PanelsA(m.out), m.grid.boxes()*m.groups
	shares := max(min(ceilDiv(m.out*m.grid.columns, cacheElements/2), panels/2), 1)
	if boxes*shares >= 8*m.threads {
		return shares
	}
	for even := shares; even <= panels/2; even++ {
		if boxes*even%m.threads == 0 {
			return even
		}
	}
	return shares
}

// share returns the output channels of a share.
func (m *Implicit) share(i int) (lo, hi int) {
	k := &m.products[0].kernel
	panels := k.PanelsA(m.out)
	return panels * i / m.shares * k.MR, min(panels*(i+1)/m.shares*k.MR, m.out)
}

// units returns the number of pieces of work.
func (m *Implicit) units() int { return m.grid.boxes() * m.groups * m.shares }

// FiltersLen returns the number of elements of the packed filters.
func (m *Implicit) FiltersLen() int { return m.groups * m.groupLen }

// Key returns a name of the way in which the filters are packed.
func (m *Implicit) Key() string {
	if m.phases != nil {
		return fmt.Sprint("transposed ", m.phases.of)
	}
	return "implicit"
}

// PackFilters packs constant filters.
func (m *Implicit) PackFilters(filters []float32) []float32 {
	packed := memory.Of[float32](m.FiltersLen())
	for item := range m.packItems() {
		m.pack(packed, filters, item)
	}
	return packed
}

// packItems returns the number of pieces of work of packing the filters.
func (m *Implicit) packItems() int { return m.groups * len(m.products) }

// pack packs the filters of a product of a group.
func (m *Implicit) pack(packed, filters []float32, item int) {
	group, i := item/len(m.products), item%len(m.products)
	size := len(filters) / m.groups
	packed, filters = packed[group*m.groupLen:], filters[group*size:][:size]
	p := &m.products[i]
	if m.phases != nil {
		m.phases.pack(packed, filters, p, i)
		return
	}
	k := &p.kernel
	a := gemm.Matrix[float32]{Data: filters, RowStride: p.depth, ColStride: 1}
	for i := range k.Blocks(p.depth) {
		k.PackA(packed[p.block(i):], a, p.rows, p.depth, i, 0, k.PanelsA(p.rows))
	}
}
