// Package implicit computes convolutions as matrix products whose matrix of windows (im2col) never
// exists as a whole.
package implicit

import (
	"slices"

	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/gemm/pack"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
)

// Geometry describes a convolution of an input [Batch, Groups*In, spatial axes] with filters
// [Groups, Out, In, kernel axes]. The output is [Batch, Groups*Out, spatial axes].
type Geometry struct {
	Batch, Groups int
	In, Out       int          // channels of a group
	Axes          [3]conv.Axis // depth, height and width; all lengths of a missing axis are 1
	// Channels is the number of channels of a group, where In counts pairs or quads of them.
	Channels int
	// Stored means that the results of quads are not written to Call.Out, but to Call.Quads.Bytes
	// or by Epilogue.Store.
	Stored bool
}

// Plan is the plan of a convolution as a matrix product: the filters are multiplied by a
// matrix of the windows (im2col). The matrix never exists as a whole; only as much of it is packed
// at a time as the cache holds. The output is computed box by box. A box is computed for all
// output channels, unless there are so few boxes that threads have to share the output channels.
//
// What the elements of the input and of the filters are is known by the kernel: numbers of float32,
// quads, whose sums are integers, or pairs. What moves them is the same for all, and knows them as
// lanes.
//
// A transposed convolution is several products. Each computes the outputs whose windows have the
// same positions; a phaseMap describes which ones they are.
//
// A Plan is safe for concurrent use by Calls that share no scratch memory and no output.
type Plan struct {
	batch, groups int
	in, out       int // channels of a group
	inPlane       int // elements of an input channel
	outPlane      int // elements of an output channel
	products      []product
	phases        *phaseMap // nil if the convolution is not transposed
	interleaved   bool      // results of several phases are interleaved in the output
	stored        bool      // Geometry.Stored
	grid          grid
	shares        int   // parts that the output channels of a box are divided into
	direct        bool  // all products read the input in place
	packs         bool  // panels are packed from the input itself: see PacksInput
	quads         bool  // the elements are quads
	zero          uint8 // gemm.QuadZero, for quads
	constant      bool  // the filters are packed once, by PackFilters
	groupLen      int   // elements of the packed filters of a group
	layout
	stop parallel.Stop // while the plan is made
}

// New returns the plan of g for the elements of k and a number of threads. It returns nil if the
// packed filters or the scratch memory would be too large. The output and the windows must not be
// empty. constant reports whether the caller packs the filters once, with PackFilters; otherwise
// each run packs them. If stop is requested, New ends early, and the plan must not be used.
func New(stop parallel.Stop, g *Geometry, k *gemm.LaneKernel, threads int, constant bool) *Plan {
	m := g.plan(stop, k, constant)
	var walks [3]walk
	taps := 1
	for i := range g.Axes {
		walks[i] = newWalk(&g.Axes[i])
		taps *= g.Axes[i].Kernel
		m.outPlane *= g.Axes[i].Output
	}
	joinAxes(&walks)
	m.products = []product{newProduct(k, g.Out, g.In, taps)}
	if k := &m.products[0].kernel; taps == 1 && isInPlace(&walks) && (k.PacksPairs() || m.quads && k.PacksQuads()) {
		m.packs, m.in = true, g.Channels
	}
	if !m.divide([][3]walk{walks}, g.Out, threads) {
		return nil
	}
	m.stop = nil
	return m
}

// plan returns a plan without products.
func (g *Geometry) plan(stop parallel.Stop, k *gemm.LaneKernel, constant bool) *Plan {
	m := &Plan{stop: stop, batch: g.Batch, groups: g.Groups, in: g.In, out: g.Out, constant: constant, outPlane: 1}
	if m.quads = k.HasIntegers(); m.quads {
		m.stored, m.zero = g.Stored, gemm.QuadZero()
	}
	return m
}

// Outside returns the byte for PackQuads and for Quads.Outside, where the byte outside of the input
// is the given one. It is another one if nothing outside is read, and the kernel takes quads that
// were combined with that one as they are.
func (m *Plan) Outside(outside uint8) uint8 {
	if m.packs || m.direct && slices.ContainsFunc(m.products, func(p product) bool { return m.unflips(&p) }) {
		return m.zero
	}
	return outside
}

// unflips reports whether the kernel of p takes quads that are combined with zero, not with
// Quads.Outside.
func (m *Plan) unflips(p *product) bool { return m.zero > 0 || p.kernel.IgnoresFlip() }

// divide divides the output into boxes and lays out the memory. It returns false if that would be
// too large. rows is the number of results of each column.
func (m *Plan) divide(walks [][3]walk, rows, threads int) bool {
	m.threads = max(threads, 1)
	m.inPlane = walks[0][0].input * walks[0][1].input * walks[0][2].input
	p := &m.products[0]
	pixels := m.batch * walks[0][0].output * walks[0][1].output * walks[0][2].output
	multiple := m.threads
	if pixels < fewPixels {
		multiple = 1 // threads share the output channels
	}
	if !m.interleaved {
		rows = min(rows, p.rowsAtOnce())
	}
	m.grid = newGrid(&walks[0], m.batch, p.columns(rows), multiple, p.kernel.EndsInFew)
	m.shares = 1
	if !m.interleaved {
		// With enough shares, the results of a box stay in the cache.
		least := conv.CeilDiv(m.out*m.grid.columns, cacheElements/2)
		m.shares, rows = shareCount(p.kernel.PanelsA(m.out), m.grid.boxes()*m.groups, least, m.threads), m.out
	}
	m.direct = true
	for i := range m.products {
		m.direct = m.direct && (m.products[i].depth == 0 || isInPlace(&walks[i]))
	}
	for i := range m.products {
		p := &m.products[i]
		p.filters = m.groupLen
		if panels := p.kernel.PanelsA(p.rows) * p.kernel.MR; panels > 2*p.rows && float64(panels)*float64(p.depth)*float64(m.groups) > maxMemory {
			return false // with few rows and much depth, most of the packed filters would be zeros
		}
		m.groupLen += p.filtersLen()
		if p.depth == 0 {
			p.source = &source{}
			continue
		}
		// If one product reads a band, quads are combined with Quads.Outside, which takes another
		// one a band to undo.
		direct := m.direct || !m.unflips(p) && isInPlace(&walks[i])
		if p.source = newSource(m.stop, &walks[i], m.in, m.groups*m.in*m.inPlane, &p.kernel.Tiling, &m.grid, direct); p.source == nil {
			return false
		}
		p.source.packs = m.packs
	}
	return m.layOut(rows)
}

// fewPixels is the number of outputs of a channel below which threads do not share them, but share
// the output channels instead.
const fewPixels = 128

// shareCount returns the number of shares that the output channels of a box are divided into: least
// or more, so that the thread with the most to do has as little as possible. panels is the number
// of panels of output channels.
func shareCount(panels, boxes, least, threads int) int {
	shares := max(min(least, panels/2), 1)
	if boxes*shares >= 8*threads {
		return shares
	}
	// A share takes as long as its panels, and one more for what each share does again: it packs
	// windows, or reads them from a cache that is further away.
	longest := func(shares int) int { return conv.CeilDiv(boxes*shares, threads) * (conv.CeilDiv(panels, shares) + 1) }
	best := shares
	for more := shares + 1; more <= panels; more++ {
		if longest(more) < longest(best) {
			best = more
		}
	}
	return best
}

// channelShare returns the output channels of share i of n: lo to hi-1.
func channelShare(k *gemm.Tiling, channels, i, n int) (lo, hi int) {
	panels := k.PanelsA(channels)
	return panels * i / n * k.MR, min(panels*(i+1)/n*k.MR, channels)
}

// units returns the number of units of work: the shares of all groups of all boxes.
func (m *Plan) units() int { return m.grid.boxes() * m.groups * m.shares }

// TableBytes returns the size of the tables of New for g, at most.
func (g *Geometry) TableBytes() int64 {
	// A position for each row of the matrix of windows, and the furthest of each block of rows.
	size := memory.Size[[9]byte](max(g.In, g.Channels), g.Axes[0].Kernel, g.Axes[1].Kernel, g.Axes[2].Kernel)
	for i := range g.Axes {
		size = memory.Sum(size, memory.Size[[conv.AxisBytes]byte](g.Axes[i].Kernel))
	}
	return size
}

// TransposedTableBytes returns the size of the tables of NewTransposed for g, at most.
func (g *Geometry) TransposedTableBytes() int64 {
	// Each element of the filters belongs to one phase.
	size := memory.Sum(g.TableBytes(), memory.Size[int](g.Axes[0].Kernel, g.Axes[1].Kernel, g.Axes[2].Kernel))
	phases := 1
	for i := range g.Axes {
		n := min(g.Axes[i].Stride, g.Axes[i].Input)
		if n > conv.MaxPhases/phases {
			return size // NewTransposed returns nil
		}
		phases *= n
	}
	return memory.Sum(size, memory.Size[[phaseBytes]byte](phases))
}

// phaseBytes is the number of bytes for each phase, which can have a product with a source of its
// own.
const phaseBytes = 1 << 11

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

// flip returns what quads of a band of p are combined with by exclusive or.
func (m *Plan) flip(c *Call, p *product) uint32 {
	if m.unflips(p) {
		return pack.Flips(c.Quads.Outside ^ m.zero)
	}
	return 0
}

// PacksInput reports whether runs read the input itself, Call.Floats or Quads.In, with
// Geometry.Channels in each group, not its pairs or quads in Call.In. It is for windows of one
// element that are read in place: their panels are packed in one pass, not in two.
func (m *Plan) PacksInput() bool { return m.packs }
