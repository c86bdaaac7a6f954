package conv

import (
	"sync/atomic"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/gemm"
)

// Geometry is a convolution of an input [Batch, Groups*In, spatial...] with filters
// [Groups, Out, In, kernel...].
type Geometry struct {
	Batch, Groups int
	In, Out       int // channels of a group
	Axes          [3]Axis
}

// Implicit computes convolutions as the product of the filters and a matrix of the
// windows, of which there is no more at a time than the cache holds:
//
//	output[o, pixel] = sum over c, k of filters[o, c*taps+k] * window[c*taps+k, pixel]
//
// It goes box by box of the output; a box is computed for all output channels. Where
// there are fewer boxes than threads, the windows are packed together, and then the
// threads share the channels.
type Implicit struct {
	geometry Geometry
	kernel   gemm.Kernel[float32]
	source   *source
	grid     grid
	depth    int // rows of the matrix of windows
	outPlane int
	rows     bool // threads share the output channels
	steps    []step
	layout
}

// layout is where things are in the scratch memory, in elements.
type layout struct {
	threads int
	slots   int // a slot for each thread, behind the next items of each step that nobody has taken
	slot    int // elements of a slot: a band,
	panel   int // a panel of windows,
	result  int // and the results of several images
	shared  int // windows that all threads share, behind the slots
	filters int // packed filters, where they are not constant, behind those
	total   int
}

// Call is one run of an Implicit.
type Call struct {
	In, Out  []float32
	Filters  []float32 // packed by PackFilters; unpacked if not constant
	Scratch  []byte
	Epilogue Epilogue
}

// maxMemory bounds the elements of the scratch memory. Windows that are much larger
// than what they lie in would need more.
const maxMemory = 1 << 27

// NewImplicit returns the kernel of g, which has outputs and windows of at least one
// element, for a number of threads; nil where the scratch memory would be too large.
// constant says that the filters are packed once.
func NewImplicit(g *Geometry, threads int, constant bool) *Implicit {
	m := &Implicit{geometry: *g, kernel: *gemm.New[float32](), depth: g.In, outPlane: 1}
	var walks [3]walk
	for i := range g.Axes {
		walks[i] = newWalk(&g.Axes[i])
		m.depth *= g.Axes[i].Kernel
		m.outPlane *= g.Axes[i].Output
	}
	join(&walks)
	k := &m.kernel
	blocks := max(k.Blocks(m.depth), 1)
	k.KC = max((ceil(m.depth, blocks)+3)&^3, 4)
	m.threads = max(threads, 1)
	m.grid = newGrid(&walks, g.Batch, m.columns(), k.NR, m.threads)
	m.rows = m.threads > 1 && m.grid.boxes()*g.Groups < m.threads && g.Out >= 2*k.MR
	inPlane := walks[0].input * walks[1].input * walks[2].input
	m.source = newSource(&walks, g.In, g.Groups*g.In*inPlane, k.KC, &m.grid)
	m.steps = m.newSteps(constant)
	if !m.place(constant) {
		return nil
	}
	return m
}

// cacheLine is the elements of a cache line.
const cacheLine = 16

// cacheElements is how much of the second-level cache a block of all three matrices
// may take.
const cacheElements = 160 << 10

// columns returns how many columns of a box are good for the cache.
func (m *Implicit) columns() int {
	k := &m.kernel
	out := m.geometry.Out
	n := (cacheElements - min(out*k.KC, cacheElements/2)) / (k.KC + out)
	return min(max(n, 2*k.NR), 512) / k.NR * k.NR
}

// place lays out the scratch memory; false where it is too large.
func (m *Implicit) place(constant bool) bool {
	if m.source == nil {
		return false
	}
	total := 0
	fits := true
	take := func(n, of int) (at int) {
		at = total
		if fits = fits && float64(total)+float64(n)*float64(of) < maxMemory; fits {
			total = (total + n*of + cacheLine - 1) &^ (cacheLine - 1)
		}
		return at
	}
	k := &m.kernel
	wide := m.wide(m.grid.columns)
	take(m.source.band, 1)
	m.panel = take(k.NR, k.KC)
	m.result = total
	if m.grid.images > 1 {
		take(wide, m.geometry.Out)
	}
	m.slot, total = total, 0
	take(len(m.steps), 1)
	m.slots = take(m.slot, m.threads)
	m.shared = total
	if m.rows {
		take(wide, m.depth)
	}
	m.filters = total
	if !constant {
		take(m.geometry.Groups, m.groupLen())
	}
	m.total = total
	return fits
}

// ScratchBytes returns the bytes of Call.Scratch.
func (m *Implicit) ScratchBytes() int { return 4 * m.total }

// filtersLen returns the elements of the packed filters.
func (m *Implicit) filtersLen() int { return m.geometry.Groups * m.groupLen() }

func (m *Implicit) groupLen() int {
	return m.kernel.PanelsA(m.geometry.Out) * m.kernel.MR * m.depth
}

// PackFilters packs constant filters.
func (m *Implicit) PackFilters(filters []float32) []float32 {
	packed := make([]float32, m.filtersLen())
	for g := range m.geometry.Groups {
		m.packPanels(packed, filters, g, 0, m.kernel.PanelsA(m.geometry.Out))
	}
	return packed
}

// packPanels packs panels lo to hi-1 of the filters of a group.
func (m *Implicit) packPanels(packed, filters []float32, group, lo, hi int) {
	k := &m.kernel
	size := m.geometry.Out * m.depth
	a := gemm.Matrix[float32]{Data: filters[group*size:][:size], RowStride: m.depth, ColStride: 1}
	for i := range k.Blocks(m.depth) {
		k.PackA(m.filterBlock(packed, group, i), a, m.geometry.Out, m.depth, i, lo, hi)
	}
}

// filterBlock returns the panels of block i of a group's filters.
func (m *Implicit) filterBlock(packed []float32, group, i int) []float32 {
	k := &m.kernel
	return packed[group*m.groupLen()+i*k.KC*k.PanelsA(m.geometry.Out)*k.MR:]
}

// scratch returns elements of the scratch memory.
func (c *Call) scratch(at, n int) []float32 { return cast.Bytes[float32](c.Scratch[4*at:])[:n] }

// next takes the next item of a step.
func (c *Call) next(step int) int {
	counter := (*atomic.Uint32)(unsafe.Pointer(&c.Scratch[4*step]))
	return int(counter.Add(1) - 1)
}
