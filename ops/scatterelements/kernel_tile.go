package scatterelements

import (
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ops"
)

// buffers holds the tensors of one run, as bytes: copies and most operations do not depend on the
// type of the elements.
type buffers struct {
	out, data, updates []byte
	indices            indices
	locator            locator
	// fresh means that out does not contain data yet. Each tile copies its own part.
	fresh  bool
	stop   parallel.Stop // of run; a tile then ends early
	run    *ops.Run
	worker int
}

// tiler computes tiles. It may use scratch memory.
type tiler interface {
	// tile computes tile i.
	tile(p *plan, x buffers, i int) error
	// layOut adds the scratch memory of each worker to s, for tiles of n elements.
	layOut(s *ops.Scratch, workers int, p *plan, n int)
	// bytes returns the number of bytes of memory that tile needs for each element of a tile.
	bytes() int
}

// walk iterates over the blocks of a tile.
type walk struct {
	block
	p           *plan
	t           tileAt
	rowStep     int
	row, column int
	updates     int // offset of the block's updates
}

// walk returns the iterator over the blocks of a tile, with positions in layout l.
func (p *plan) walk(t *tileAt, l *layout) walk {
	w := walk{p: p, t: *t}
	w.length, w.pitch = p.length, p.indicesRow
	if p.negative {
		w.wrap = p.length
	}
	w.scale, w.rowStep = uint32(l.scale), l.rowStep
	w.offsets = l.offsets
	if t.columns != p.columns {
		w.offsets = l.narrow
	}
	return w
}

// next advances to the next block, which is the first block in the first call. It returns false
// after the last block.
func (w *walk) next() bool {
	w.column += w.columns
	if w.column >= w.t.columns || w.columns == 0 {
		w.column = 0
		w.row += w.rows
		if w.row >= w.t.rows {
			return false
		}
		w.columns = min(w.t.columns, blockLength)
		w.rows = min(w.t.rows-w.row, blockLength/w.columns)
	}
	w.columns = min(w.columns, w.t.columns-w.column)
	w.first = w.t.indices + w.row*w.pitch + w.column
	w.base = uint32(w.row*w.rowStep + w.column*w.p.columnStep)
	w.ahead = w.columns
	if w.columns == w.t.columns {
		w.ahead = w.rows * w.pitch
	}
	w.updates = w.t.updates + w.row*w.p.updatesRow + w.column*w.p.updatesColumn
	return true
}

// updatesShape returns the number of columns and the pitch of the block's updates. Rows without
// gaps between them count as one row.
func (w *walk) updatesShape() (columns, pitch int) {
	if w.p.updatesRow == w.columns {
		return w.rows * w.columns, 0
	}
	return w.columns, w.p.updatesRow
}

// locate computes the positions of the block in at and returns them, or the error of the first
// index that is out of range.
func (w *walk) locate(l locator, at []uint32, x indices) ([]uint32, error) {
	at = at[:w.rows*w.columns]
	if bad := l.rows(&w.block, at, x); bad >= 0 {
		i := w.first + bad/w.columns*w.pitch + bad%w.columns
		value, unsigned := l.value(x, i)
		return nil, w.p.outside(i, value, unsigned)
	}
	return at, nil
}
