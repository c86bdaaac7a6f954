package scatterelements

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
)

// indices are the elements of a tensor of indices, of the type that a locator
// knows.
type indices struct {
	first unsafe.Pointer
	n     int
}

func indicesOf[I index.Integer](data []I) indices {
	return indices{unsafe.Pointer(unsafe.SliceData(data)), len(data)}
}

func elementsOf[I index.Integer](x indices) []I { return unsafe.Slice((*I)(x.first), x.n) }

// locator finds the elements that indices stand for. It is the only code that
// reads indices: whatever is done at a position relies on its checks.
type locator struct {
	// rows sets at to the positions of a block of indices, row after row, and
	// returns the place in at of the first that is not allowed, -1 if all are.
	rows func(b block, at []uint32, x indices) int
	// of returns the elements of a tensor of indices.
	of func(*ir.Tensor) indices
	// value returns index i, and whether it is the bits of a uint64.
	value func(x indices, i int) (int64, bool)
}

// block is a part of a tile whose indices are located at once.
type block struct {
	rows, columns     int
	first, pitch      int // of the indices: where they start, and from row to row
	length            int // of the axis
	wrap              int64
	base              uint32 // position of index 0 in the first row and column
	scale             uint32
	rowStep, nextStep uint32 // from row to row, from column to column
}

func locatorOf[I index.Integer](elements func(*ir.Tensor) []I) locator {
	return locator{
		rows:  locateRows[I],
		of:    func(t *ir.Tensor) indices { return indicesOf(elements(t)) },
		value: valueOf[I],
	}
}

func valueOf[I index.Integer](x indices, i int) (int64, bool) {
	v := elementsOf[I](x)[i]
	return int64(v), v > 0 && int64(v) < 0
}

// locateRows is locator.rows for indices of type I:
//
//	at[r, c] = base + wrapped(indices[first + r*pitch + c])*scale + r*rowStep + c*nextStep
func locateRows[I index.Integer](b block, at []uint32, x indices) int {
	all := elementsOf[I](x)
	for r := range b.rows {
		first := b.first + r*b.pitch
		row := all[first : first+b.columns]
		done := r * b.columns
		if bad := locate(at[done:done+b.columns], row, &b, b.base+uint32(r)*b.rowStep); bad >= 0 {
			return done + bad
		}
	}
	return -1
}

// locate locates one row.
func locate[I index.Integer](at []uint32, row []I, b *block, base uint32) int {
	length, wrap := uint64(b.length), b.wrap
	if index.Unsigned[I]() {
		wrap = 0 // a u64 beyond int64 looks negative
	}
	scale, next := b.scale, b.nextStep
	at = at[:len(row)]
	for c, v := range row {
		i := int64(v)
		i += i >> 63 & wrap
		if uint64(i) >= length {
			return c
		}
		at[c] = base + uint32(i)*scale
		base += next
	}
	return -1
}
