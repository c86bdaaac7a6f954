package scatterelements

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ops"
)

// plan holds what follows from the shapes and the axis.
//
// The indices are divided into tiles. A tile has rows by columns indices, and the elements of
// out that these can refer to. Index v at row r and column c of a tile refers to element
//
//	out[tile + v*scale + r*rowStep + c*columnStep]
//
// If the axis is the last one, columns lie along it and rows are lines of elements. Otherwise
// rows lie along it, and columns lie along the last axis, so that they are contiguous.
type plan struct {
	shape    []int // of the indices
	length   int   // length of data along the axis
	negative bool  // negative indices count from the end
	elements int   // number of elements of data
	empty    bool  // there are no indices
	// whole means that the tiles together cover data, so that each tile can copy its own part
	// of data to out.
	whole bool
	along bool // the axis is the last one

	loops []loop // the axes outside of a tile
	cut   loop   // the axis that is divided into tiles: rows if along, columns otherwise

	rows, columns          int // of the largest tile
	indicesRow, updatesRow int // strides of rows
	// stride of columns: 1, or 0 if one value is used for all indices
	updatesColumn              int
	scale, rowStep, columnStep int
	spread, compact            layout
	// distance in out from a tile's first element to its last, plus 1
	span int

	// the length of the largest tile along cut, the number of tiles along cut, and of all tiles
	tile, cuts, tiles int
}

// loop is an axis of the indices, with its stride in each tensor.
type loop struct {
	n                      int
	data, indices, updates int
}

// newPlan returns the plan without tiles, or an error if the shapes do not fit each other. They
// have the same rank, which is at least 1. Indices may be shorter than data except along axis,
// and shorter than updates along every axis.
func newPlan(data, indices, updates []int, axis int, negative bool) (*plan, error) {
	p := &plan{shape: indices, length: data[axis], negative: negative, elements: 1, whole: true}
	loops := make([]loop, len(indices))
	at := loop{data: 1, indices: 1, updates: 1}
	for i := len(indices) - 1; i >= 0; i-- {
		at.n = indices[i]
		loops[i] = at
		at.data, at.indices, at.updates = at.data*data[i], at.indices*indices[i], at.updates*updates[i]
		p.empty = p.empty || indices[i] == 0
	}
	p.elements = at.data
	if p.empty {
		p.whole = false
		return p, nil
	}
	for i, n := range indices {
		if i != axis && n > data[i] {
			return nil, faults.Errorf("indices %v are longer than data %v along axis %d, and not only along axis %d", indices, data, i, axis)
		}
		if n > updates[i] {
			return nil, faults.Errorf("indices %v are longer than updates %v along axis %d", indices, updates, i)
		}
		p.whole = p.whole && (i == axis || n == data[i])
	}
	p.updatesColumn = 1
	outer, inner := merge(loops[:axis]), merge(loops[axis+1:])
	if l := loops[axis]; l.data == 1 && l.updates == 1 {
		p.lines(l, outer)
	} else {
		p.across(l, outer, inner)
	}
	return p, nil
}

// repeat makes all rows use the first row of updates.
func (p *plan) repeat() {
	p.updatesRow, p.updatesColumn, p.cut.updates = 0, 0, 0
	for i := range p.loops {
		p.loops[i].updates = 0
	}
}

// merge joins adjacent axes that can be iterated as one, and drops axes of length 1.
func merge(loops []loop) []loop {
	var merged []loop
	for _, l := range loops {
		if l.n == 1 {
			continue
		}
		if k := len(merged) - 1; k >= 0 && merged[k].data == l.n*l.data &&
			merged[k].indices == l.n*l.indices && merged[k].updates == l.n*l.updates {
			l.n *= merged[k].n
			merged[k] = l
			continue
		}
		merged = append(merged, l)
	}
	return merged
}

// lines plans the last axis.
func (p *plan) lines(axis loop, outer []loop) {
	p.along = true
	p.columns, p.scale = axis.n, 1
	p.cut = loop{n: 1, data: p.length, indices: axis.n, updates: axis.n}
	if k := len(outer) - 1; k >= 0 {
		p.cut, outer = outer[k], outer[:k]
	}
	p.rows, p.loops = p.cut.n, outer
	p.indicesRow, p.updatesRow, p.rowStep = p.cut.indices, p.cut.updates, p.cut.data
}

// across plans any other axis.
func (p *plan) across(axis loop, outer, inner []loop) {
	p.cut = loop{n: 1, data: 1, indices: 1, updates: 1}
	if k := len(inner) - 1; k >= 0 && inner[k].data == 1 && inner[k].indices == 1 && inner[k].updates == 1 {
		p.cut, inner = inner[k], inner[:k]
	}
	p.loops = append(outer, inner...)
	p.rows, p.columns = axis.n, p.cut.n
	p.indicesRow, p.updatesRow, p.scale, p.columnStep = axis.indices, axis.updates, axis.data, 1
}

const (
	// blockLength is the number of indices that are located at once: enough that the cost per
	// block is small, and few enough for the L1 cache.
	blockLength = 1024
	// tileBytes is the greatest size of the elements of a tile, if there is a choice. It fits
	// an L2 cache.
	tileBytes = 1 << 20
)

// divide divides the plan into tiles. bytes is the memory that a tile needs for each of its
// elements, and threads is the number of threads that should have tiles.
func (p *plan) divide(bytes, threads int) {
	if p.empty {
		return
	}
	loops := 1
	for _, l := range p.loops {
		loops *= l.n
	}
	n := p.cut.n
	if p.along {
		n = min(n, max(1, blockLength/p.columns))
	} else {
		// Shorter rows are slow to read, and threads should not share cache lines. With so many
		// threads that some would have nothing to do, they are shorter nevertheless.
		line := 64
		for line > 16 && loops*((p.cut.n+line-1)/line) < threads {
			line /= 2
		}
		if depth := min(p.length, p.rows*line); depth > tileBytes/bytes/n {
			n = max(tileBytes/bytes/depth, 1)
		}
		if loops < threads && p.rows >= ops.Grain(1)/p.cut.n {
			n = min(n, (p.cut.n+threads-1)/threads)
		}
		n = min((n+line-1)/line*line, p.cut.n)
	}
	if !p.along && p.rows*8 < p.length || loops*((p.cut.n+n-1)/n) < threads && p.elements > ops.Grain(1) {
		// Tiles are a slow way to copy elements that they do not change. And if there are fewer
		// tiles than threads, some threads have nothing to do.
		p.whole = false
	}
	p.tile = n
	p.cuts = (p.cut.n + n - 1) / n
	p.tiles = loops * p.cuts
	if p.along {
		p.rows = n
		p.span = (n-1)*p.rowStep + p.length
	} else {
		p.columns = n
		p.span = max(p.length-1, 0)*p.scale + n
	}
	p.spread = p.layout(p.scale, p.rowStep)
	if p.along {
		p.compact = p.layout(1, p.length)
	} else {
		p.compact = p.layout(p.columns, 0)
	}
}

// layout describes where the elements of a tile are in the memory that a tiler uses. Index v at
// row r and column c refers to the element at v*scale + r*rowStep + c*columnStep.
type layout struct {
	scale, rowStep int
	// offsets holds r*rowStep + c*columnStep for each index of a block. narrow holds the same
	// for a block of a tile with fewer columns.
	offsets, narrow []uint32
}

// layout returns the layout with the given scale and rowStep.
func (p *plan) layout(scale, rowStep int) layout {
	l := layout{scale: scale, rowStep: rowStep}
	l.offsets = p.offsets(p.columns, rowStep)
	if n := p.cut.n % p.tile; !p.along && n != 0 {
		l.narrow = p.offsets(n, rowStep)
	}
	return l
}

// offsets returns the offsets of a block with the given number of columns.
func (p *plan) offsets(columns, rowStep int) []uint32 {
	offsets := make([]uint32, min(p.rows*columns, blockLength))
	for r := 0; r*columns < len(offsets); r++ {
		for c := range min(columns, len(offsets)-r*columns) {
			offsets[r*columns+c] = uint32(r*rowStep + c*p.columnStep)
		}
	}
	return offsets
}

// tileAt holds the offset of a tile in each tensor, and its size.
type tileAt struct {
	data, indices, updates int
	rows, columns          int
}

// at returns tile i.
func (p *plan) at(i int) tileAt {
	cut := i % p.cuts * p.tile
	n := min(p.tile, p.cut.n-cut)
	t := tileAt{
		data: cut * p.cut.data, indices: cut * p.cut.indices, updates: cut * p.cut.updates,
		rows: p.rows, columns: p.columns,
	}
	if p.along {
		t.rows = n
	} else {
		t.columns = n
	}
	i /= p.cuts
	for k := len(p.loops) - 1; k >= 0; k-- {
		l := &p.loops[k]
		step := i % l.n
		i /= l.n
		t.data += step * l.data
		t.indices += step * l.indices
		t.updates += step * l.updates
	}
	return t
}

// bands returns the elements of a tile of the size of t as count bands of length elements,
// pitch elements apart.
func (p *plan) bands(t *tileAt) (count, length, pitch int) {
	if p.along {
		return t.rows, p.length, p.rowStep
	}
	return p.length, t.columns, p.scale
}

// compactPitch returns the distance between bands in the compact layout.
func (p *plan) compactPitch() int {
	if p.along {
		return p.length
	}
	return p.columns
}

// outside returns the error for the index at offset at.
func (p *plan) outside(at int, value int64, unsigned bool) error {
	e := &index.Error{
		Position: index.Position(at, p.shape), Value: value, Unsigned: unsigned,
		Hi: int64(p.length) - 1,
	}
	if p.negative {
		e.Lo = -int64(p.length)
	}
	return e
}

// far reports whether positions in a tile can overflow a uint32.
func (p *plan) far() bool { return uint64(p.span) > math.MaxUint32 }
