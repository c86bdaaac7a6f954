package scatterelements

import (
	"math"
	"unsafe"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
)

// indices holds the elements of a tensor of indices. Their type is that of the locator.
type indices struct {
	first unsafe.Pointer
	bytes int
}

// indicesOf returns the elements of t.
func indicesOf(t *ir.Tensor) indices {
	return indices{unsafe.Pointer(unsafe.SliceData(t.Bytes())), len(t.Bytes())}
}

// elementsOf returns the indices as elements of type I.
func elementsOf[I index.Integer](x indices) []I {
	var zero I
	return unsafe.Slice((*I)(x.first), x.bytes/int(unsafe.Sizeof(zero)))
}

// locator finds the elements that indices of one type refer to. No other code reads indices,
// and the code that uses the positions relies on its checks.
type locator struct {
	index    ir.ElementType
	assembly bool
}

// locatorFor returns the locator for indices of type t.
func locatorFor(t ir.ElementType) (locator, error) {
	if !t.IsInteger() || t.Size() == 0 {
		return locator{}, faults.Errorf("element type %v is not an integer of whole bytes", t)
	}
	return locator{index: t, assembly: hasAssembly()}, nil
}

// rows sets at to the positions for a block of indices, row by row. It returns the place in at
// of the first index that is out of range, or -1 if there is none.
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

// value returns index i. If it is a u64 greater than math.MaxInt64, value holds its bits and
// unsigned is true.
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
	first, pitch  int // of the indices: the offset of the first, and the distance between rows
	length, wrap  int // the length of the axis, and the number added to negative indices
	base, scale   uint32
	offsets       []uint32 // of each position in the block
	ahead         int      // offset of the next block's indices from first
	prefetch      prefetch
}

// prefetch describes the updates that are read after the indices are located.
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
		wrap = 0 // a u64 greater than math.MaxInt64 looks negative
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

// shape returns the rows and columns of b. Rows without gaps between them count as one row.
func (b *block) shape() (rows, columns int) {
	if b.columns == b.pitch {
		return 1, b.rows * b.columns
	}
	return b.rows, b.columns
}
