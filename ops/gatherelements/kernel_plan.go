package gatherelements

import (
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ops"
)

// plan holds what follows from the shapes and the axis.
//
// The indices are divided into slabs of rows. Element (r, j) of a slab is
//
//	out[base + r*pitch + j] = data[from + r*advance + i*stride + j*step]
//
// with i = indices[base + r*pitch + j]. If the axis is the last one, rows lie along it and step
// is 0. Otherwise rows lie across it, along the axes after it, and step is 1.
type plan struct {
	shape  []int // of indices and out
	length int   // length of data along the axis
	wrap   int   // added to negative indices: length, or 0 if they are not valid
	slabs  []slabAxis

	rows, width    int
	pitch, advance int
	stride, step   int

	// A piece is the work of one call of a kernel: pieceRows by pieceColumns elements of a
	// slab, or fewer at its end.
	pieceRows, pieceColumns int
	rowPieces, columnPieces int
	pieces                  int
}

// slabAxis is one of the axes along which slabs are counted.
type slabAxis struct {
	n          int // number of slabs
	base, from int // strides in indices and in data
}

// newPlan returns the plan for shapes of the same rank, which is at least 1. Except along axis,
// indices must not be longer than data.
func newPlan(data, indices []int, axis int, negative bool) *plan {
	p := &plan{shape: indices, length: data[axis], rows: indices[axis], width: 1, step: 1}
	if negative {
		p.wrap = p.length
	}
	// The axes after the axis form one row as long as the shapes are the same. The first axis
	// that differs still belongs to the row.
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
	if p.pitch == 1 && p.stride == 1 {
		p.rowsAlongAxis()
	}
	return p
}

// slabAlong adds an axis before the other slab axes. It joins it with the first of them if this
// leaves no gap in either tensor.
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

// rowsAlongAxis sets rows along the last axis, one for each slab along the axis before it.
func (p *plan) rowsAlongAxis() {
	p.width, p.step = p.rows, 0
	p.rows, p.pitch, p.advance = 1, p.width, 0
	if last := len(p.slabs) - 1; last >= 0 {
		a := p.slabs[last]
		p.rows, p.pitch, p.advance = a.n, a.base, a.from
		p.slabs = p.slabs[:last]
	}
}

const (
	slabBytes  = 1 << 19 // of data that fits the L2 cache with the rest
	blockBytes = 1 << 17 // of data that a piece reads if a slab does not fit
	minColumns = 32      // of a piece: fewer are not worth a loop
	minPiece   = 1 << 12 // elements that are worth a piece of their own
	maxPiece   = 1 << 18 // elements, so that a piece does not delay the garbage collector for long
)

// divide divides the plan into pieces, for elements of size bytes and a number of threads.
func (p *plan) divide(size, threads int) {
	slabs := 1
	for _, a := range p.slabs {
		slabs *= a.n
	}
	target := maxPiece
	if threads > 1 {
		// A pool divides the pieces into parts. Each part should be one piece.
		target = min(max(ceil(slabs*p.rows*p.width, 8*threads), minPiece), maxPiece)
	}
	columns := max(p.width, 1)
	switch {
	case p.step == 0 && (p.rows == 1 || columns > maxPiece):
		columns = min(columns, target)
	case p.step == 1 && size*p.length*columns > slabBytes:
		columns = min(columns, max(blockBytes/max(size*p.length, 1), minColumns))
	}
	p.columnPieces = ceil(p.width, columns)
	p.pieceColumns = max(ceil(p.width, max(p.columnPieces, 1)), 1)
	p.pieceRows = max(min(p.rows, target/p.pieceColumns), 1)
	p.rowPieces = ceil(p.rows, p.pieceRows)
	p.pieces = slabs * p.columnPieces * p.rowPieces
}

// grain returns the number of pieces that are worth another thread.
func (p *plan) grain() int { return ops.Grain(float64(p.pieceRows) * float64(p.pieceColumns)) }

// ceil returns n/d rounded up.
func ceil(n, d int) int { return (n + d - 1) / d }

// piece is the part of a plan that one call of a kernel computes.
type piece struct {
	base, from    int // the index of its first element in indices and in data
	rows, columns int
}

// piece returns piece i.
func (p *plan) piece(i int) piece {
	row := i % p.rowPieces * p.pieceRows
	i /= p.rowPieces
	column := i % p.columnPieces * p.pieceColumns
	i /= p.columnPieces
	c := piece{
		base: row*p.pitch + column, from: row*p.advance + column*p.step,
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

// indexError returns the error for the first index that is out of range.
func indexError[I indexType](p *plan, indices []I) error {
	for i, v := range indices {
		if v := int64(v); v < -int64(p.wrap) || v >= int64(p.length) {
			return &index.Error{Position: index.Position(i, p.shape), Value: v, Lo: -int64(p.wrap), Hi: int64(p.length) - 1}
		}
	}
	panic("BUG: a kernel refused indices that are all allowed")
}
