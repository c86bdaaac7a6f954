package implicit

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/levels"
	"github.com/vinoir/vinoir/internal/parallel"
)

// product multiplies filters, packed for package gemm, by a matrix of windows:
//
//	result[row, pixel] = sum over c, k of filters[row, c*taps + k] * window[c*taps + k, pixel]
type product struct {
	kernel      gemm.LaneKernel // its blocks have about the same depth
	packer      packer          // of panels of numbers
	source      *source
	rows, depth int
	filters     int // where its filters start in the packed filters of a group
}

// newProduct returns a product with the given number of rows, for windows of taps elements in each
// of the channels.
func newProduct(kernel *gemm.LaneKernel, rows, channels, taps int) product {
	p := product{kernel: *kernel, packer: pickPack(kernel.NR), rows: rows, depth: channels * taps}
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
	in, filters, band, panel []gemm.Lane
	// the group's part of the input, if panels of pairs or of quads are packed from that
	floats []float32
	bytes  []uint8
	flip   uint32        // what quads of a band are combined with by exclusive or
	stop   parallel.Stop // ends the product early

	scale, bias   []float32      // of each row; scale is for quads
	epilogue      *conv.Epilogue // its Clamp and Levels
	levels        *levels.Levels // of each row, if there are any
	gemm.Integers                // for quads
}

// steps returns what is done to the results: n steps.
func (o *operands) steps() (list [gemm.MaxSteps]gemm.Step, n int) {
	if o.scale != nil {
		list[n].Op, list[n].Values = gemm.ScaleRows, o.scale
		n++
	}
	if o.bias != nil {
		list[n].Op, list[n].Values = gemm.AddRows, o.bias
		n++
	}
	bytes := o.levels
	if o.Bytes == nil {
		bytes = nil
	}
	if e := o.epilogue; e.Clamp || o.Bytes != nil && bytes == nil {
		list[n].Op, list[n].Lo, list[n].Hi = gemm.Clamp, e.Lo, e.Hi
		n++
	}
	if bytes == nil {
		return list, n
	}
	if bytes.HSwish {
		list[n].Op = gemm.HSwish
		n++
	}
	if bytes.Slope != nil {
		list[n].Op, list[n].Values = gemm.SlopeRows, bytes.Slope
		n++
	}
	list[n].Op, list[n].Values, list[n].Shift, list[n].Hi = gemm.ToLevels, bytes.Scale, bytes.Shift, bytes.Max
	return list, n + 1
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
func (p *product) multiply(result []float32, stride int, o *operands, b *box, lo, hi int) {
	list, n := o.steps()
	block := gemm.Product[gemm.Lane, gemm.Lane]{C: cast.Slice[gemm.Lane](result), LDC: stride, Depth: p.depth, MLo: lo, MHi: hi, Steps: list[:n], Integers: o.Integers}
	if p.depth == 0 {
		fillEmpty(&block, b.columns)
		return
	}
	for block.Block = range p.kernel.Blocks(p.depth) {
		if o.stop.Requested() {
			return
		}
		f := factors{rows: block.Block}
		block.A = o.filters[p.filterOffset(block.Block):]
		switch {
		case o.bytes != nil:
			f.bytes = o.bytes[p.source.start(b):]
		case o.floats != nil:
			f.floats = o.floats[p.source.start(b):]
		default:
			f.from = blockInput(p.source, o.in, o.band, b, block.Block, o.flip)
		}
		p.multiplyBlock(&block, o, &f, b)
	}
}

// multiplyBlock multiplies a block, as many rows at a time as the cache holds.
func (p *product) multiplyBlock(block *gemm.Product[gemm.Lane, gemm.Lane], o *operands, f *factors, b *box) {
	step, hi := p.rowsAtOnce(), block.MHi
	for first := block.MLo; first < hi && !o.stop.Requested(); first += step {
		p.multiplyRows(block, o, f, b, first, min(first+step, hi))
	}
}

// multiplyRows multiplies rows lo to hi-1 of a block. A panel of windows is used right after it is
// packed. Those of the first rows may be kept.
func (p *product) multiplyRows(block *gemm.Product[gemm.Lane, gemm.Lane], o *operands, f *factors, b *box, lo, hi int) {
	k, part := &p.kernel, *block
	part.MLo, part.MHi = lo, hi
	depth := k.Depth(block.Block, p.depth)
	next, panel := newCursor(p.source, b), o.panel
	kept := k.PanelsB(b.columns)*k.NR*depth <= len(o.panel)
	for at := 0; at < b.columns; at += k.NR {
		columns := min(k.NR, b.columns-at)
		if kept {
			panel = o.panel[at*depth:]
		}
		switch {
		case kept && lo > block.MLo:
		case p.source.packs:
			packInput(p.source, &k.Tiling, panel, f, &next, columns)
		default:
			packPanel(p.source, p.packer, panel, f, &next, k.NR, columns)
		}
		part.B, part.NHi, part.C = panel, columns, block.C[at:]
		if block.Bytes != nil {
			part.Bytes = block.Bytes[at:]
		}
		k.Multiply(&part)
	}
}

// fillEmpty sets the rows of c, of a number of columns, to what the steps make of 0: the sum of a
// window without elements.
func fillEmpty(p *gemm.Product[gemm.Lane, gemm.Lane], columns int) {
	for row := p.MLo; row < p.MHi; row++ {
		v := float32(0)
		for i := range p.Steps {
			switch s := &p.Steps[i]; s.Op {
			case gemm.AddRows:
				v += s.Values[row]
			case gemm.Clamp:
				if !(v > s.Lo) { // NaN too
					v = s.Lo
				}
				v = min(v, s.Hi)
			}
		}
		if p.Bytes != nil {
			line := p.Bytes[row*p.BytesStride:][:columns]
			for j := range line {
				line[j] = uint8(math.RoundToEven(float64(v)))
			}
			continue
		}
		line := p.C[row*p.LDC:][:columns]
		for j := range line {
			line[j] = gemm.Lane(v)
		}
	}
}
