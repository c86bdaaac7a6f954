package scatterelements

import "unsafe"

// buffers are the elements that one run works on.
type buffers[T any] struct {
	out, data, updates []T
	indices            indices
	locator            *locator
	// fresh says that out does not hold data yet, and that the tiles copy it.
	fresh bool
}

// tiler works on one tile. It may use scratch bytes for itself.
type tiler[T any] interface {
	tile(p *plan, x *buffers[T], scratch []byte, i int) error
	// scratch returns the bytes that tile needs for a tile of n elements.
	scratch(n int) int
	// bytes returns the bytes that it holds for each element of a tile.
	bytes() int
}

// walk goes through the blocks of a tile.
type walk struct {
	block
	p           *plan
	t           *tileAt
	row, column int
	updates     int // where the updates of the block start
}

// walk starts with positions counted by scale and rowStep.
func (p *plan) walk(t *tileAt, scale, rowStep int) walk {
	w := walk{p: p, t: t}
	w.length, w.pitch = p.length, p.indicesRow
	if p.negative {
		w.wrap = int64(p.length)
	}
	w.scale, w.rowStep, w.nextStep = uint32(scale), uint32(rowStep), uint32(p.columnStep)
	return w
}

// next moves to the next block, the first at first, and returns false behind the
// last.
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
	w.base = uint32(w.row)*w.rowStep + uint32(w.column)*w.nextStep
	w.updates = w.t.updates + w.row*w.p.updatesRow + w.column*w.p.updatesColumn
	return true
}

// locate returns the positions of the block in at.
func (w *walk) locate(l *locator, at []uint32, x indices) ([]uint32, error) {
	at = at[:w.rows*w.columns]
	if bad := l.rows(w.block, at, x); bad >= 0 {
		i := w.first + bad/w.columns*w.pitch + bad%w.columns
		value, unsigned := l.value(x, i)
		return nil, w.p.outside(i, value, unsigned)
	}
	return at, nil
}

// direct is the tiler of reductions that need nothing but out.
type direct[T any] struct {
	f apply[T]
	// neutral is a row of the value that a touched element starts with, nil
	// where it starts with what data holds.
	neutral []T
}

func (k *direct[T]) scratch(int) int { return blockLength * 4 }

func (k *direct[T]) bytes() int {
	var zero T
	return int(unsafe.Sizeof(zero))
}

func (k *direct[T]) tile(p *plan, x *buffers[T], scratch []byte, i int) error {
	t := p.at(i)
	count, length, pitch := p.bands(&t)
	out := x.out[t.data : t.data+(count-1)*pitch+length]
	if x.fresh {
		copyBands(out, x.data[t.data:], count, length, pitch)
	}
	buffer := carve[uint32](&scratch, blockLength)
	if k.neutral != nil {
		for w := p.walk(&t, p.scale, p.rowStep); w.next(); {
			at, err := w.locate(x.locator, buffer, x.indices)
			if err != nil {
				return err
			}
			set(out, at, k.neutral, w.columns, 0)
		}
	}
	for w := p.walk(&t, p.scale, p.rowStep); w.next(); {
		at, err := w.locate(x.locator, buffer, x.indices)
		if err != nil {
			return err
		}
		k.f(out, at, x.updates[w.updates:], w.columns, p.updatesRow)
	}
	return nil
}

// copyBands copies count stretches of length elements.
func copyBands[T any](to, from []T, count, length, pitch int) {
	if length == pitch {
		copy(to, from[:len(to)])
		return
	}
	for i := range count {
		copy(to[i*pitch:i*pitch+length], from[i*pitch:])
	}
}

// carve takes n elements from the front of scratch, and leaves it aligned for
// any type.
func carve[T any](scratch *[]byte, n int) []T {
	var zero T
	size := (n*int(unsafe.Sizeof(zero)) + scratchAlign - 1) &^ (scratchAlign - 1)
	taken := (*scratch)[:size]
	*scratch = (*scratch)[size:]
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(taken))), n)
}

// scratchAlign is a cache line: what ops.Run.Scratch starts at.
const scratchAlign = 64

// scratchOf returns the bytes that carve takes for n elements.
func scratchOf[T any](n int) int {
	var zero T
	return (n*int(unsafe.Sizeof(zero)) + scratchAlign - 1) &^ (scratchAlign - 1)
}
