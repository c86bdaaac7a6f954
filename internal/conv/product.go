package conv

import "github.com/vinoir/vinoir/internal/gemm"

// product is the multiplication of filters, packed for package gemm, and a matrix of
// windows:
//
//	result[row, pixel] = sum over c, k of filters[row, c*taps + k] * window[c*taps + k, pixel]
type product struct {
	kernel      gemm.Kernel[float32] // with blocks of about the same depth
	source      *source
	rows, depth int
	filters     int // elements of packed filters before its own
}

// newProduct returns the product of windows of the given taps in some channels.
func newProduct(rows, channels, taps int) product {
	p := product{kernel: *gemm.New[float32](), rows: rows, depth: channels * taps}
	k := &p.kernel
	if taps == 0 || channels == 0 {
		return p
	}
	if taps > k.KC {
		k.KC = ceilDiv(p.depth, k.Blocks(p.depth))
		return p
	}
	// Blocks of whole channels copy none to their band twice.
	blocks := ceilDiv(channels, k.KC/taps)
	k.KC = ceilDiv(channels, blocks) * taps
	return p
}

// filtersLen returns the elements of the packed filters.
func (p *product) filtersLen() int { return p.kernel.PanelsA(p.rows) * p.kernel.MR * p.depth }

// block returns where block i starts in the packed filters.
func (p *product) block(i int) int {
	return p.filters + i*p.kernel.KC*p.kernel.PanelsA(p.rows)*p.kernel.MR
}

// cacheElements is how much of the second-level cache a block of filters and one of
// results may take.
const cacheElements = 160 << 10

// columns returns how many columns of a box are good for the cache, where each has so
// many results.
func (p *product) columns(rows int) int {
	return min(max(cacheElements/2/rows, 2*p.kernel.NR), 512)
}

// rowsAtOnce is the number of rows of the filters that stay in the cache while the
// windows of a box pass by.
func (p *product) rowsAtOnce() int {
	return max(cacheElements/2/p.kernel.KC/p.kernel.MR, 1) * p.kernel.MR
}

// operands are what a product is made of: the group's part of the input, its filters,
// and memory for a band and for a panel.
type operands struct {
	in, filters, band, panel []float32
}

// keptPanels is the number of panels that are packed once for all rows, where these
// are too many for the cache.
const keptPanels = 4

// panels returns the number of panels that memory is needed for.
func (p *product) panels(columns int) int {
	if n := p.kernel.PanelsB(columns); n <= keptPanels {
		return n
	}
	return 1
}

// multiply computes rows lo to hi-1 of a box.
func (p *product) multiply(result []float32, stride int, o *operands, b *box, lo, hi int, e *gemm.Epilogue[float32]) {
	if p.depth == 0 {
		p.nothing(result, stride, b, lo, hi, e)
		return
	}
	k := &p.kernel
	step := p.rowsAtOnce()
	for i := range k.Blocks(p.depth) {
		from := p.source.block(o.in, o.band, b, i)
		for first := lo; first < hi; first += step {
			p.multiplyRows(result, stride, o, from, b, i, first, min(first+step, hi), first > lo, e)
		}
	}
}

// multiplyRows multiplies block i into rows lo to hi-1. A panel of windows is used as
// soon as it is packed; again says that other rows have used the panels before.
func (p *product) multiplyRows(result []float32, stride int, o *operands, from []float32, b *box, i, lo, hi int, again bool, e *gemm.Epilogue[float32]) {
	k := &p.kernel
	depth := k.Depth(i, p.depth)
	next, panel := newCursor(p.source, b), o.panel
	kept := k.PanelsB(b.columns)*k.NR*depth <= len(o.panel)
	for at := 0; at < b.columns; at += k.NR {
		columns := min(k.NR, b.columns-at)
		if kept {
			panel = o.panel[at*depth:]
		}
		if !kept || !again {
			p.source.panel(panel, from, &next, i, k.NR, columns)
		}
		k.MultiplyThen(result[at:], stride, o.filters[p.block(i):], panel, p.depth, i, lo, hi, 0, columns, e)
	}
}

// nothing sets rows lo to hi-1 of a box to what the epilogue makes of 0, where windows
// have no elements.
func (p *product) nothing(result []float32, stride int, b *box, lo, hi int, e *gemm.Epilogue[float32]) {
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
		line := result[row*stride:][:b.columns]
		for j := range line {
			line[j] = v
		}
	}
}
