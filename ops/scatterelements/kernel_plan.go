package scatterelements

import (
	"fmt"
	"math"

	"github.com/vinoir/vinoir/internal/index"
)

// plan is what the shapes and the axis decide.
//
// The indices are cut into tiles. A tile is rows times columns of them, with the
// elements of out that they can point to; index v at row r and column c of a tile
// stands for element
//
//	out[tile + v*scale + r*rowStep + c*columnStep]
//
// Where the axis is the last one, the columns run along it and the rows are lines
// of elements. Where it is not, the rows run along it, and the columns along the
// last axis: neighbours in memory.
type plan struct {
	shape    []int // of the indices
	length   int   // of data along the axis
	negative bool  // whether negative indices count from the back
	elements int   // of data
	empty    bool  // there are no indices
	// whole says that the tiles have every element of data between them, so that
	// each can do its own part of copying data to out.
	whole bool
	along bool // the axis is the last one

	loops []loop // axes outside of a tile
	cut   loop   // the axis that is cut into tiles: rows if along, else columns

	rows, columns              int // of the longest tile
	indicesRow, updatesRow     int // distance from row to row
	updatesColumn              int // from column to column: 1, or 0 where one value is the update everywhere
	scale, rowStep, columnStep int
	spread, compact            layout
	span                       int // elements of out from a tile's first to its last

	tile, cuts, tiles int // longest tile along cut, tiles along it, tiles in all
}

// loop is an axis of the indices, with the distances between neighbours along it
// in each tensor.
type loop struct {
	n                      int
	data, indices, updates int
}

// newPlan checks the shapes, which have one rank of at least 1, and cuts no tiles
// yet. Off the axis indices may be shorter than data, and along every axis shorter
// than updates.
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
			return nil, fmt.Errorf("indices %v are longer than data %v along axis %d, and not only along axis %d", indices, data, i, axis)
		}
		if n > updates[i] {
			return nil, fmt.Errorf("indices %v are longer than updates %v along axis %d", indices, updates, i)
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

// repeat makes the first row of updates stand for all of them.
func (p *plan) repeat() {
	p.updatesRow, p.updatesColumn, p.cut.updates = 0, 0, 0
	for i := range p.loops {
		p.loops[i].updates = 0
	}
}

// merge makes one loop of neighbours that are stepped through like one, and drops
// those of one step.
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

// lines plans for the last axis.
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

// across plans for another axis.
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
	// blockLength is the number of indices that are located at once: enough to
	// make what is done once a block cheap, and few enough for the first cache.
	blockLength = 1024
	// tileBytes is what the elements of a tile may take, where there is a
	// choice: a second cache.
	tileBytes = 1 << 20
	// grainElements is the work that is worth another thread.
	grainElements = 16 << 10
)

// divide cuts the tiles. bytes is the size of what a tile holds for each of its
// elements, and threads the number of threads that there should be tiles for.
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
		// Shorter rows would be slow to read, and threads should not share cache lines.
		const line = 64
		if depth := min(p.length, p.rows*line); depth > tileBytes/bytes/n {
			n = max(tileBytes/bytes/depth, 1)
		}
		if loops < threads && p.rows >= grainElements/p.cut.n {
			n = min(n, (p.cut.n+threads-1)/threads)
		}
		n = min((n+line-1)/line*line, p.cut.n)
	}
	if !p.along && p.rows*8 < p.length || loops*((p.cut.n+n-1)/n) < threads && p.elements > grainElements {
		// Tiles are no good way to copy what they hardly touch, and one that has
		// no other beside it leaves the other threads idle.
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

// layout is where the elements of a tile are in the memory that a tiler works on.
// Index v at row r and column c stands for the element at v*scale + r*rowStep +
// c*columnStep.
type layout struct {
	scale, rowStep int
	// offsets are the last two summands for each index of a block, and narrow
	// those for a block of the tiles that have fewer columns.
	offsets, narrow []uint32
}

func (p *plan) layout(scale, rowStep int) layout {
	l := layout{scale: scale, rowStep: rowStep}
	l.offsets = p.offsets(p.columns, rowStep)
	if n := p.cut.n % p.tile; !p.along && n != 0 {
		l.narrow = p.offsets(n, rowStep)
	}
	return l
}

func (p *plan) offsets(columns, rowStep int) []uint32 {
	offsets := make([]uint32, min(p.rows*columns, blockLength))
	for r := 0; r*columns < len(offsets); r++ {
		for c := range min(columns, len(offsets)-r*columns) {
			offsets[r*columns+c] = uint32(r*rowStep + c*p.columnStep)
		}
	}
	return offsets
}

// tileAt is where a tile starts in each tensor, and its size.
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

// bands returns the elements of a tile of t's size as count stretches of length
// elements, each pitch elements behind the one before.
func (p *plan) bands(t *tileAt) (count, length, pitch int) {
	if p.along {
		return t.rows, p.length, p.rowStep
	}
	return p.length, t.columns, p.scale
}

// compactPitch is the distance of bands in the compact layout.
func (p *plan) compactPitch() int {
	if p.along {
		return p.length
	}
	return p.columns
}

// outside returns the error of the index at offset at.
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

// far reports whether positions in a tile are beyond uint32.
func (p *plan) far() bool { return uint64(p.span) > math.MaxUint32 }
