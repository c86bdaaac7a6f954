package implicit

import (
	"math"

	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/parallel"
)

// product multiplies filters, packed for package gemm, by a matrix of windows:
//
//	result[row, pixel] = sum over c, k of filters[row, c*taps + k] * window[c*taps + k, pixel]
type product struct {
	kernel      gemm.Kernel[float32] // its blocks have about the same depth
	source      *source
	rows, depth int
	filters     int  // where its filters start in the packed filters of a group
	quads       bool // whether the elements are quads of bytes
}

// newProduct returns a product with the given number of rows, for windows of taps elements in each
// of the channels.
func newProduct(kernel *gemm.Kernel[float32], rows, channels, taps int) product {
	p := product{kernel: *kernel, rows: rows, depth: channels * taps}
	k := &p.kernel
	if taps == 0 || channels == 0 {
		return p
	}
	if taps > k.KC {
		k.KC = conv.CeilDiv(p.depth, k.Blocks(p.depth))
	} else {
		// Blocks consist of whole channels, so that no channel is copied to the bands of two
		// blocks.
		blocks := conv.CeilDiv(channels, k.KC/taps)
		k.KC = conv.CeilDiv(channels, blocks) * taps
	}
	k.Fit(p.depth)
	return p
}

// filtersLen returns the number of elements of the packed filters.
func (p *product) filtersLen() int { return p.kernel.PanelsA(p.rows) * p.kernel.MR * p.depth }

// filterOffset returns where block i starts in the packed filters of a group.
func (p *product) filterOffset(i int) int {
	return p.filters + i*p.kernel.KC*p.kernel.PanelsA(p.rows)*p.kernel.MR
}

// cacheElements is the number of elements that a block of filters and a block of results may
// occupy together in the second-level cache.
const cacheElements = 160 << 10

// columns returns the number of columns of a box that suits the cache if each column has the given
// number of results.
func (p *product) columns(rows int) int {
	return min(max(cacheElements/2/rows, 2*p.kernel.NR), 512)
}

// rowsAtOnce returns the number of rows of the filters that stay in the cache while they are
// multiplied by all windows of a box.
func (p *product) rowsAtOnce() int {
	return max(cacheElements/2/p.kernel.KC/p.kernel.MR, 1) * p.kernel.MR
}

// operands holds the inputs of a product and its working memory: the group's part of the input,
// the packed filters of the group, and memory for a band and for panels.
type operands struct {
	in, filters, band, panel []float32
	// the group's part of the input, if panels of quads are packed from that
	bytes []uint8
	quads *gemm.Quads   // for products of quads
	flip  uint32        // what quads of a band are combined with by exclusive or
	stop  parallel.Stop // ends the product early
}

// keptPanels is the largest number of panels for which a product keeps all panels of a box. They
// are then packed only once if the rows are too many for the cache.
const keptPanels = 4

// bufferedPanels returns the number of panels that need memory, for boxes of the given number of
// columns.
func (p *product) bufferedPanels(columns int) int {
	if n := p.kernel.PanelsB(columns); n <= keptPanels {
		return n
	}
	return 1
}

// multiply computes rows lo to hi-1 of box b. Row i starts at result[i*stride].
func (p *product) multiply(result []float32, stride int, o *operands, b *box, lo, hi int, e *gemm.Epilogue[float32]) {
	if p.depth == 0 {
		p.fillEmpty(result, stride, o, b, lo, hi, e)
		return
	}
	for i := range p.kernel.Blocks(p.depth) {
		if o.stop.Requested() {
			return
		}
		f := factors{filters: o.filters[p.filterOffset(i):], rows: i, index: i}
		if o.bytes != nil {
			f.bytes = o.bytes[p.source.start(b):]
		} else {
			f.from = p.source.blockInput(o.in, o.band, b, i, o.flip)
		}
		p.multiplyBlock(result, stride, o, &f, b, lo, hi, e)
	}
}

// factors are what a product multiplies for one block of its depth.
type factors struct {
	from    []float32 // what the columns of a box are packed from
	bytes   []uint8   // the same for a source that packs bytes
	filters []float32 // the packed filters of the block
	rows    int       // the block of the rows of the source
	// the block of the depth: block 0 sets the results, and the epilogue comes with the last
	index int
}

// multiplyBlock multiplies a block into rows lo to hi-1, as many at a time as the cache holds.
func (p *product) multiplyBlock(result []float32, stride int, o *operands, f *factors, b *box, lo, hi int, e *gemm.Epilogue[float32]) {
	step := p.rowsAtOnce()
	for first := lo; first < hi && !o.stop.Requested(); first += step {
		p.multiplyRows(result, stride, o, f, b, first, min(first+step, hi), first > lo, e)
	}
}

// multiplyRows multiplies a block into rows lo to hi-1. A panel of windows is used right after it
// is packed. again reports whether multiplyRows has packed the panels before, for other rows.
func (p *product) multiplyRows(result []float32, stride int, o *operands, f *factors, b *box, lo, hi int, again bool, e *gemm.Epilogue[float32]) {
	k := &p.kernel
	depth := k.Depth(f.index, p.depth)
	next, panel := newCursor(p.source, b), o.panel
	kept := k.PanelsB(b.columns)*k.NR*depth <= len(o.panel)
	for at := 0; at < b.columns; at += k.NR {
		columns := min(k.NR, b.columns-at)
		if kept {
			panel = o.panel[at*depth:]
		}
		switch {
		case kept && again:
		case p.source.packs:
			p.source.packInput(k, panel, f, &next, columns)
		default:
			p.source.packPanel(panel, f.from, &next, f.rows, k.NR, columns)
		}
		if p.quads {
			q := *o.quads
			if q.Bytes != nil {
				q.Bytes = q.Bytes[at:]
			}
			gemm.MultiplyQuads(k, result[at:], stride, f.filters, panel, p.depth, f.index, lo, hi, 0, columns, &q)
			continue
		}
		k.MultiplyThen(result[at:], stride, f.filters, panel, p.depth, f.index, lo, hi, 0, columns, e)
	}
}

// fillEmpty is multiply for windows without elements: every sum is 0.
func (p *product) fillEmpty(result []float32, stride int, o *operands, b *box, lo, hi int, e *gemm.Epilogue[float32]) {
	if p.quads {
		e = &o.quads.Epilogue
	}
	for row := lo; row < hi; row++ {
		v := float32(0)
		if e.RowBias != nil {
			v = e.RowBias[row]
		}
		if e.Clamp {
			if !(v > e.Lo) { // NaN too
				v = e.Lo
			}
			v = min(v, e.Hi)
		}
		if p.quads && o.quads.Bytes != nil {
			line := o.quads.Bytes[row*o.quads.BytesStride:][:b.columns]
			for j := range line {
				line[j] = uint8(math.RoundToEven(float64(v)))
			}
			continue
		}
		line := result[row*stride:][:b.columns]
		for j := range line {
			line[j] = v
		}
	}
}
