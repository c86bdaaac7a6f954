package implicit

import (
	"fmt"
	"slices"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
)

// Regions is the plan of a convolution much of whose windows lies in the padding, as with large
// dilations. It divides the output into regions whose windows have the same elements inside the
// input, and multiplies only those. A Plan, which multiplies all of them, needs up to three times
// as many products for a window of 3 by 3.
//
// The depth of the product is ordered by elements of the window, then by channels, so that a region
// leaves out whole blocks of it, and the filters are packed once for all regions. Windows that are
// inside the input are read in place.
//
// The output is computed band by band. A band consists of whole lines whose windows have the same
// elements along the outer axes, or of a part of the only line. A Regions is safe for concurrent
// use by Calls that share no scratch memory and no output.
type Regions struct {
	batch, groups int
	axes          [3]conv.Axis
	in, out       int // channels of a group
	inPlane       int
	outPlane      int
	pieces        [3][]piece // of each axis
	product       product    // of all channels for one element of the window
	blocks        int        // of the depth, for one element of the window
	shares        int        // parts that the output channels of a band are divided into
	layout
}

// piece is a range of outputs along an axis, lo to hi-1. Of their windows, elements first to end-1
// are inside the input.
type piece struct{ lo, hi, first, end int }

func (p *piece) outputs() int { return p.hi - p.lo }
func (p *piece) taps() int    { return p.end - p.first }

// newPieces divides the outputs of an axis into pieces of at most the given number of outputs.
func newPieces(a *conv.Axis, most int) (list []piece) {
	ends := []int{0, a.Output}
	for k := range a.Kernel {
		// The first output whose element k of the window is at position 0 or later, or behind the
		// input.
		for _, position := range []int{0, a.Input} {
			if o := conv.CeilDiv(max(position-a.At(0, k), 0), a.Stride); o < a.Output {
				ends = append(ends, o)
			}
		}
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	for i, lo := range ends[:len(ends)-1] {
		p := piece{lo: lo, hi: ends[i+1]}
		p.first = min(conv.CeilDiv(max(-a.At(lo, 0), 0), a.Dilation), a.Kernel)
		p.end = max(min(conv.CeilDiv(max(a.Input-a.At(lo, 0), 0), a.Dilation), a.Kernel), p.first)
		list = p.appendParts(list, most)
	}
	return list
}

// appendParts appends p to list, in parts of about the same size.
func (p piece) appendParts(list []piece, most int) []piece {
	parts := conv.CeilDiv(p.outputs(), most)
	for i := range parts {
		part := p
		part.lo, part.hi = p.lo+parallel.Share(p.outputs(), parts, i), p.lo+parallel.Share(p.outputs(), parts, i+1)
		list = append(list, part)
	}
	return list
}

const (
	// A Regions is worth trying for at most maxRegionKernel elements of a window and
	// maxRegionOutputs outputs along an axis, and for blocks of at least minRegionDepth channels.
	maxRegionKernel  = 16
	maxRegionOutputs = 1 << 16
	minRegionDepth   = 32
	// regionGain is the share of a Plan's products above which the regions do not pay. They have
	// more panels that are not full, and more results that are copied.
	regionGain = 0.85
)

// NewRegions returns the plan of g for a number of threads, whose filters are packed once. It
// returns nil if a Plan is expected to be as fast, or if the scratch memory would be too large. The
// output and the windows must not be empty.
func NewRegions(g *Geometry, threads int) *Regions {
	m := &Regions{batch: g.Batch, groups: g.Groups, axes: g.Axes, in: g.In, out: g.Out, inPlane: 1, outPlane: 1}
	for i := range g.Axes {
		if g.Axes[i].Kernel > maxRegionKernel || g.Axes[i].Output > maxRegionOutputs {
			return nil
		}
		m.inPlane *= g.Axes[i].Input
		m.outPlane *= g.Axes[i].Output
	}
	if g.Axes[2].Stride != 1 || !m.divideDepth() {
		return nil
	}
	m.divideOutput()
	if !m.pays() {
		return nil
	}
	m.source()
	m.threads = max(threads, 1)
	m.shares = shareCount(m.product.kernel.PanelsA(m.out), m.batch*m.groups*m.bands(), 1, m.threads)
	if !m.layOut() {
		return nil
	}
	return m
}

// RegionTableBytes returns the size of the tables of NewRegions for g, at most.
func (g *Geometry) RegionTableBytes() int64 {
	outputs := 0
	for i := range g.Axes {
		if g.Axes[i].Kernel > maxRegionKernel || g.Axes[i].Output > maxRegionOutputs {
			return 0 // there are none
		}
		outputs += g.Axes[i].Output
	}
	return memory.Sum(memory.Size[[2]piece](outputs), memory.Size[[2]int](g.In))
}

// divideDepth divides the channels into blocks of the same size. It returns false if they would be
// too small.
func (m *Regions) divideDepth() bool {
	m.product = newProduct(gemm.New().Lanes(), m.out, m.in, 1)
	k := &m.product.kernel
	for m.blocks = conv.CeilDiv(m.in, k.KC); m.in/m.blocks >= minRegionDepth; m.blocks++ {
		if m.in%m.blocks == 0 {
			k.KC = m.in / m.blocks
			return true
		}
	}
	return false
}

// divideOutput divides the output so that the results of a region stay in the cache.
func (m *Regions) divideOutput() {
	columns := m.product.columns(min(m.out, m.product.rowsAtOnce()))
	m.pieces[2] = newPieces(&m.axes[2], columns)
	widest := 1
	for i := range m.pieces[2] {
		widest = max(widest, m.pieces[2][i].outputs())
	}
	m.pieces[1] = newPieces(&m.axes[1], max(columns/widest, 1))
	m.pieces[0] = newPieces(&m.axes[0], 1)
}

// pays reports whether the regions need clearly fewer products than a Plan.
func (m *Regions) pays() bool {
	depth, planes, all := 0, 0, 1
	for i := range m.pieces[0] {
		depth += m.pieces[0][i].taps()
	}
	for i := range m.pieces[1] {
		for j := range m.pieces[2] {
			y, x := &m.pieces[1][i], &m.pieces[2][j]
			planes += y.taps() * x.taps() * conv.CeilDiv(y.outputs()*x.outputs(), columnUnit) * columnUnit
		}
	}
	for i := range m.axes {
		all *= m.axes[i].Kernel
	}
	return float64(depth)*float64(planes) <= regionGain*float64(all)*float64(m.outPlane)
}

// source makes the source of a block of channels for one element of the window.
func (m *Regions) source() {
	s := &source{channels: m.product.kernel.KC, taps: 1, depth: m.product.kernel.KC, direct: true}
	step := 1
	for i := 2; i >= 0; i-- {
		s.strides[i] = step * m.axes[i].Stride
		step *= m.axes[i].Input
	}
	for c := range s.channels {
		s.rows = append(s.rows, c*m.inPlane)
	}
	s.furthest = []int{s.rows[len(s.rows)-1]}
	m.product.source = s
}

// line reports whether the output of a channel is one line. Its pieces are then bands.
func (m *Regions) line() bool { return m.axes[0].Output*m.axes[1].Output == 1 }

// bands returns the number of bands of an image.
func (m *Regions) bands() int {
	if m.line() {
		return len(m.pieces[2])
	}
	return len(m.pieces[0]) * len(m.pieces[1])
}

// layOut sets the layout of the scratch memory. It returns false if that would be too large.
func (m *Regions) layOut() bool {
	k, columns := &m.product.kernel, 0
	for i := range m.pieces[1] {
		for j := range m.pieces[2] {
			columns = max(columns, m.pieces[1][i].outputs()*m.pieces[2][j].outputs())
		}
	}
	m.stride = conv.CeilDiv(columns, k.NR) * k.NR
	l := taker{fits: true}
	l.take(k.KC*k.NR, m.product.bufferedPanels(columns))
	m.result = l.take(m.stride, m.out)
	m.takeSlots(&l, m.units())
	return l.fits
}

// units returns the number of units of work: the shares of all bands of all groups of all images.
func (m *Regions) units() int { return m.batch * m.groups * m.bands() * m.shares }

// taps returns the number of elements of a window.
func (m *Regions) taps() int { return m.axes[0].Kernel * m.axes[1].Kernel * m.axes[2].Kernel }

// blockLen returns the number of elements of the packed filters of a block.
func (m *Regions) blockLen() int { return m.product.filtersLen() / m.blocks }

// FiltersLen implements Product.
func (m *Regions) FiltersLen() int { return m.groups * m.taps() * m.product.filtersLen() }

// Key implements Product.
func (m *Regions) Key() string {
	return fmt.Sprint("regions ", m.groups, m.in, m.out, m.taps(), m.product.kernel.KC)
}

// PackFilters implements Product.
func (m *Regions) PackFilters(stop parallel.Stop, filters []gemm.Lane) []gemm.Lane {
	packed := memory.Of[gemm.Lane](m.FiltersLen())
	k, taps, at := &m.product.kernel, m.taps(), 0
	for group := range m.groups {
		for tap := range taps {
			a := gemm.Matrix[gemm.Lane]{Data: filters[group*m.out*m.in*taps+tap:], RowStride: m.in * taps, ColStride: taps}
			for i := range m.blocks {
				k.PackSomeA(stop, packed[at:], a, m.out, m.in, i, 0, k.PanelsA(m.out))
				at += m.blockLen()
			}
		}
	}
	return packed
}

// Steps implements Product.
func (m *Regions) Steps() int { return 1 }

// Items implements Product.
func (m *Regions) Items(int) int { return m.units() }

// Do implements Product.
func (m *Regions) Do(_ int, c Call, worker, lo, hi int) {
	slot := c.scratch(worker*m.slot, m.slot)
	for ; lo < hi && !c.Stop.Requested(); lo++ {
		m.compute(&c, slot, lo)
	}
}

// compute computes a unit: a share of the output channels of a group, for one band of an image.
// slot is the working memory.
func (m *Regions) compute(c *Call, slot []float32, unit int) {
	lo, hi := channelShare(&m.product.kernel.Tiling, m.out, unit%m.shares, m.shares)
	unit /= m.shares
	band, group, image := unit%m.bands(), unit/m.bands()%m.groups, unit/m.bands()/m.groups
	plane := image*m.groups + group
	r := region{
		Regions: m, call: c, slot: slot, lo: lo, hi: hi,
		input:   c.In[plane*m.in*m.inPlane:][:m.in*m.inPlane],
		filters: c.Filters[group*m.taps()*m.product.filtersLen():],
		out:     plane * m.out * m.outPlane,
	}
	if c.Epilogue.Bias != nil {
		r.bias = c.Epilogue.Bias[group*m.out:][:m.out]
	}
	x := m.pieces[2]
	if m.line() {
		x, band = x[band:band+1], 0
	}
	z, y := &m.pieces[0][band/len(m.pieces[1])], &m.pieces[1][band%len(m.pieces[1])]
	for i := range x {
		r.compute([3]*piece{z, y, &x[i]})
	}
	if c.Epilogue.Finish == nil || c.Stop.Requested() {
		return
	}
	first, end := m.at(z.lo, y.lo, x[0].lo), m.at(z.lo, y.hi-1, x[len(x)-1].hi)
	for row := lo; row < hi; row++ {
		at := r.out + row*m.outPlane
		c.Epilogue.Finish(c.Out[at+first:at+end], at+first)
	}
}

// at returns the index of an output in its plane.
func (m *Regions) at(z, y, x int) int { return (z*m.axes[1].Output+y)*m.axes[2].Output + x }

// region computes the regions of a unit.
type region struct {
	*Regions
	call    *Call
	slot    []float32
	lo, hi  int         // the output channels
	input   []gemm.Lane // of the group
	filters []gemm.Lane // of the group
	out     int         // where the output of the group starts
	bias    []float32   // of the group
}

// compute computes the outputs of three pieces. Those of several parts of lines are computed in the
// slot and then copied.
func (r *region) compute(p [3]*piece) {
	b := box{images: 1, columns: 1}
	for i := range p {
		b.lengths[i] = p[i].outputs()
		b.columns *= b.lengths[i]
	}
	at := r.out + r.at(p[0].lo, p[1].lo, p[2].lo)
	if b.columns == b.lengths[2] || b.lengths[2] == r.axes[2].Output {
		r.multiply(r.call.Out[at:], r.outPlane, &b, p)
		return
	}
	results := r.slot[r.result:]
	r.multiply(results, r.stride, &b, p)
	for row := r.lo; row < r.hi && !r.call.Stop.Requested(); row++ {
		to, from := r.call.Out[at+row*r.outPlane:], results[row*r.stride:]
		for line := range b.lengths[1] {
			copy(to[line*r.axes[2].Output:][:b.lengths[2]], from[line*b.lengths[2]:])
		}
	}
}

// multiply computes the outputs of box b, whose pieces are p. Row i starts at result[i*stride].
func (r *region) multiply(result []float32, stride int, b *box, p [3]*piece) {
	product := r.product
	product.depth = p[0].taps() * p[1].taps() * p[2].taps() * r.in
	o := operands{panel: cast.Slice[gemm.Lane](r.slot[:r.result]), stop: r.call.Stop, bias: r.bias, epilogue: r.call.Epilogue}
	list, n := o.steps()
	block := gemm.Product[gemm.Lane, gemm.Lane]{C: cast.Slice[gemm.Lane](result), LDC: stride, Depth: product.depth, MLo: r.lo, MHi: r.hi, Steps: list[:n]}
	if product.depth == 0 {
		fillEmpty(&block, b.columns)
		return
	}
	f := factors{}
	for z := p[0].first; z < p[0].end; z++ {
		for y := p[1].first; y < p[1].end; y++ {
			for x := p[2].first; x < p[2].end; x++ {
				at := (r.axes[0].At(p[0].lo, z)*r.axes[1].Input+r.axes[1].At(p[1].lo, y))*r.axes[2].Input + r.axes[2].At(p[2].lo, x)
				tap := (z*r.axes[1].Kernel+y)*r.axes[2].Kernel + x
				for i := range r.blocks {
					f.from = r.input[i*product.kernel.KC*r.inPlane+at:]
					block.A = r.filters[(tap*r.blocks+i)*r.blockLen():]
					product.multiplyBlock(&block, &o, &f, b)
					block.Block++
				}
			}
		}
	}
}
