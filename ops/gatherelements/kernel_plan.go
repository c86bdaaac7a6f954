package gatherelements

import (
	"github.com/vinoir/vinoir/internal/index"
)

// plan is what the shapes and the axis decide.
//
// The indices are cut into slabs, which read one range of data each. Element
// (k, j) of a slab, k counting along the axis and j behind it, is
//
//	out[base + k*pitch + j] = data[from + indices[base + k*pitch + j]*stride + j]
type plan struct {
	shape  []int // of indices and out
	length int   // of data along the axis
	wrap   int   // what is added to a negative index: length, or 0 where there is no such index
	slabs  []slabAxis
	rows   int // lengths of a slab
	width  int
	pitch  int
	stride int

	// A piece is what one call of a kernel works on: pieceRows times
	// pieceColumns elements of a slab, fewer at the end of a row or column.
	pieceRows, pieceColumns int
	rowPieces, columnPieces int
	pieces                  int
}

// slabAxis is one of the axes that slabs are counted along.
type slabAxis struct {
	n          int // slabs along it
	base, from int // distances of neighbours in indices and in data
}

// newPlan makes the plan for shapes of one rank of at least 1. Off the axis indices
// are nowhere longer than data.
func newPlan(data, indices []int, axis int, negative bool) *plan {
	p := &plan{shape: indices, length: data[axis], rows: indices[axis], width: 1}
	if negative {
		p.wrap = p.length
	}
	// Axes behind the axis are one row as long as the shapes agree; the axis
	// where they part still belongs to it.
	p.pitch, p.stride = 1, 1
	base, from := 1, 1
	same := true
	for i := len(indices) - 1; i >= 0; i-- {
		switch {
		case i == axis:
			p.pitch, p.stride = base, from
		case i > axis && same:
			p.width *= indices[i]
			same = indices[i] == data[i]
		default:
			p.slabAlong(indices[i], base, from)
		}
		base *= indices[i]
		from *= data[i]
	}
	return p
}

// slabAlong adds an axis before those that are there, as one with the first of
// them where that leaves no gap in either tensor.
func (p *plan) slabAlong(n, base, from int) {
	if n == 1 {
		return
	}
	if len(p.slabs) > 0 {
		first := &p.slabs[0]
		if first.base*first.n == base && first.from*first.n == from {
			first.n *= n
			return
		}
	}
	p.slabs = append([]slabAxis{{n, base, from}}, p.slabs...)
}

// cut decides the pieces for elements of size bytes and a number of threads.
func (p *plan) cut(size, threads int) {
	slabs := 1
	for _, a := range p.slabs {
		slabs *= a.n
	}
	p.pieceRows, p.pieceColumns = max(p.rows, 1), max(p.width, 1)
	if p.width > 1 {
		// The columns of data that a piece reads stay in the second-level cache.
		columns := blockBytes / max(size*p.length, 1)
		columns = max(columns&^(lineBytes/size-1), lineBytes/size)
		if columns < p.width {
			p.pieceColumns = columns
		}
	}
	p.columnPieces = ceil(p.width, p.pieceColumns)
	// Rows are cut where there are too few pieces for the threads.
	if want := ceil(4*threads, max(slabs*p.columnPieces, 1)); threads > 1 && want > 1 {
		p.pieceRows = max(ceil(p.rows, want), ceil(pieceElements, p.pieceColumns))
	}
	p.rowPieces = ceil(p.rows, p.pieceRows)
	p.pieces = slabs * p.columnPieces * p.rowPieces
}

const (
	blockBytes    = 1 << 18 // of data that a piece reads: a part of the second-level cache
	lineBytes     = 64      // of a cache line
	pieceElements = 1 << 12 // that are worth a call of their own
)

// grain is the number of pieces that are worth a thread.
func (p *plan) grain() int {
	return ceil(1<<14, max(p.pieceRows*p.pieceColumns, 1))
}

// ceil returns n/d rounded up.
func ceil(n, d int) int { return (n + d - 1) / d }

// piece is the part of a plan that a kernel works on.
type piece struct {
	base, from    int // of its first element, in indices and in data
	rows, columns int
}

func (p *plan) piece(i int) piece {
	row := i % p.rowPieces
	i /= p.rowPieces
	column := i % p.columnPieces * p.pieceColumns
	i /= p.columnPieces
	row *= p.pieceRows
	c := piece{
		base: row*p.pitch + column, from: column,
		rows: min(p.pieceRows, p.rows-row), columns: min(p.pieceColumns, p.width-column),
	}
	for k := len(p.slabs) - 1; k >= 0; k-- {
		a := &p.slabs[k]
		at := i
		if k > 0 {
			at %= a.n
			i /= a.n
		}
		c.base += at * a.base
		c.from += at * a.from
	}
	return c
}

// indexError returns the error of the first index that is not allowed.
func indexError[I indexType](p *plan, indices []I) error {
	for i, v := range indices {
		if v := int64(v); v < -int64(p.wrap) || v >= int64(p.length) {
			return &index.Error{Position: index.Position(i, p.shape), Value: v, Lo: -int64(p.wrap), Hi: int64(p.length) - 1}
		}
	}
	panic("BUG: a kernel refused indices that are all allowed")
}
