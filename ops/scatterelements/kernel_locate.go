package scatterelements

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
)

// indices are the elements of a tensor of indices, of the type that a locator
// knows.
type indices struct {
	first unsafe.Pointer
	bytes int
}

func indicesOf(t *ir.Tensor) indices {
	return indices{unsafe.Pointer(unsafe.SliceData(t.Bytes())), len(t.Bytes())}
}

func elementsOf[I index.Integer](x indices) []I {
	var zero I
	return unsafe.Slice((*I)(x.first), x.bytes/int(unsafe.Sizeof(zero)))
}

// locator finds the elements that indices of one type stand for. It is the only
// code that reads indices: whatever is done at a position relies on its checks.
type locator struct {
	index    ir.ElementType
	assembly bool
}

// locatorFor returns the locator of indices of type t.
func locatorFor(t ir.ElementType) (locator, error) {
	if !t.IsInteger() || t.Size() == 0 {
		return locator{}, fmt.Errorf("element type %v is not an integer of whole bytes", t)
	}
	return locator{index: t, assembly: hasAssembly()}, nil
}

// rows sets at to the positions of a block of indices, row after row, and returns
// the place in at of the first that is not allowed, -1 if all are.
func (l locator) rows(b *block, at []uint32, x indices) int {
	switch l.index {
	case ir.I8:
		return locate(b, at, elementsOf[int8](x))
	case ir.I16:
		return locate(b, at, elementsOf[int16](x))
	case ir.I32:
		if l.assembly && locateQuickly(b, at, elementsOf[int32](x), locate32) {
			return -1
		}
		return locate(b, at, elementsOf[int32](x))
	case ir.I64:
		if l.assembly && locateQuickly(b, at, elementsOf[int64](x), locate64) {
			return -1
		}
		return locate(b, at, elementsOf[int64](x))
	case ir.U8:
		return locate(b, at, elementsOf[uint8](x))
	case ir.U16:
		return locate(b, at, elementsOf[uint16](x))
	case ir.U32:
		return locate(b, at, elementsOf[uint32](x))
	}
	return locate(b, at, elementsOf[uint64](x))
}

// value returns index i; of a u64 its bits, and whether they are beyond int64.
func (l locator) value(x indices, i int) (value int64, unsigned bool) {
	switch l.index {
	case ir.I8:
		return int64(elementsOf[int8](x)[i]), false
	case ir.I16:
		return int64(elementsOf[int16](x)[i]), false
	case ir.I32:
		return int64(elementsOf[int32](x)[i]), false
	case ir.I64:
		return elementsOf[int64](x)[i], false
	case ir.U8:
		return int64(elementsOf[uint8](x)[i]), false
	case ir.U16:
		return int64(elementsOf[uint16](x)[i]), false
	case ir.U32:
		return int64(elementsOf[uint32](x)[i]), false
	}
	v := elementsOf[uint64](x)[i]
	return int64(v), v > math.MaxInt64
}

// block is a part of a tile whose indices are located at once.
type block struct {
	rows, columns int
	first, pitch  int // of the indices: where they start, and from row to row
	length, wrap  int // of the axis, and what is added to a negative index
	base, scale   uint32
	offsets       []uint32 // of each position of a block
	ahead         int      // where the next block's indices are, counted from first
	prefetch      prefetch
}

// prefetch says which updates are read after the indices are located.
type prefetch struct {
	first       unsafe.Pointer
	pitch, size int // of rows and of an element, in bytes
}

// locate is locator.rows for indices of type I:
//
//	at[r, c] = base + offsets[r, c] + wrapped(indices[first + r*pitch + c])*scale
func locate[I index.Integer](b *block, at []uint32, indices []I) int {
	indices = indices[b.first:]
	rows, columns := b.shape()
	length, wrap, scale, base := uint64(b.length), int64(b.wrap), b.scale, b.base
	if index.Unsigned[I]() {
		wrap = 0 // a u64 beyond int64 looks negative
	}
	for r := range rows {
		row := indices[r*b.pitch:][:columns]
		at := at[r*columns:][:len(row)]
		offsets := b.offsets[r*columns:][:len(row)]
		for c, v := range row {
			i := int64(v)
			i += i >> 63 & wrap
			if uint64(i) >= length {
				return r*columns + c
			}
			at[c] = base + offsets[c] + uint32(i)*scale
		}
	}
	return -1
}

// shape returns the rows and columns of b, as one row where there are no gaps
// between them.
func (b *block) shape() (rows, columns int) {
	if b.columns == b.pitch {
		return 1, b.rows * b.columns
	}
	return b.rows, b.columns
}
