package gatherscatter

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/parallel"
)

// mover moves rows of size bytes to and from the places of indices. The functions are nil if rows
// are copied as bytes. Otherwise a row is one unit, and the memory is aligned for units.
type mover[I index.Integer] struct {
	size int
	// gather is Gather.rows.
	gather func(g *Gather, out, data []byte, indices []I, lo, hi int)
	// put and putRange are putRows for all rows of dst, and for some of them.
	put      func(dst, src []byte, indices []I)
	putRange func(dst, src []byte, indices []I, first, last int)
}

// moverOf returns the mover for rows of layout l.
func moverOf[I index.Integer](l Layout) mover[I] {
	switch {
	case l.N != 1:
		return mover[I]{size: l.RowBytes()}
	case l.Kind == U8:
		return unitMover[uint8, I](l)
	case l.Kind == U16:
		return unitMover[uint16, I](l)
	case l.Kind == U32:
		return unitMover[uint32, I](l)
	case l.Kind == U64:
		return unitMover[uint64, I](l)
	case l.Kind == U96:
		return unitMover[Uint96, I](l)
	}
	return unitMover[Uint128, I](l)
}

// unitMover returns the mover for rows that are one unit of type T.
func unitMover[T any, I index.Integer](l Layout) mover[I] {
	return mover[I]{
		size: l.RowBytes(),
		gather: func(g *Gather, out, data []byte, indices []I, lo, hi int) {
			gatherUnits(g, cast.Bytes[T](out), cast.Bytes[T](data), indices, lo, hi)
		},
		put: func(dst, src []byte, indices []I) {
			putUnits(cast.Bytes[T](dst), cast.Bytes[T](src), indices)
		},
		putRange: func(dst, src []byte, indices []I, first, last int) {
			putUnitsRange(cast.Bytes[T](dst), cast.Bytes[T](src), indices, first, last)
		},
	}
}

// take copies the units that indices refer to:
//
//	dst[j] = src[indices[j]]
//
// If negative is true, negative indices count from the end. An index that is out of range yields 0.
func take[T any, I index.Integer](dst, src []T, indices []I, negative bool) {
	dst = dst[:len(indices)]
	n := uint64(len(src))
	// The unrolled loop is most of the speed. It stops at the first block with an index outside of
	// [0,n-1], of which it may have copied a half.
	for len(indices) >= 8 && len(dst) >= 8 {
		v, to := (*[8]I)(indices), (*[8]T)(dst)
		a, b, c, d := uint64(v[0]), uint64(v[1]), uint64(v[2]), uint64(v[3])
		if a >= n || b >= n || c >= n || d >= n {
			break
		}
		to[0], to[1], to[2], to[3] = src[a], src[b], src[c], src[d]
		a, b, c, d = uint64(v[4]), uint64(v[5]), uint64(v[6]), uint64(v[7])
		if a >= n || b >= n || c >= n || d >= n {
			break
		}
		to[4], to[5], to[6], to[7] = src[a], src[b], src[c], src[d]
		indices, dst = indices[8:], dst[8:]
	}
	for j, v := range indices {
		if i := uint64(v); i < uint64(len(src)) {
			dst[j] = src[i]
			continue
		}
		var element T
		if i := index.Resolve(v, len(src), negative); i >= 0 {
			element = src[i]
		}
		dst[j] = element
	}
}

// longRow is the number of bytes of a row above which a row is copied in pieces.
const longRow = 1 << 18

// takeRows is take for rows of size bytes. It ends early if stop is requested.
func takeRows[I index.Integer](stop parallel.Stop, dst, src []byte, size int, indices []I, negative bool) {
	if size == 0 {
		return
	}
	length := len(src) / size
	for j, v := range indices {
		row := dst[j*size : (j+1)*size]
		i := index.Resolve(v, length, negative)
		if size > longRow {
			if i < 0 {
				parallel.Clear(stop, row)
			} else {
				parallel.Copy(stop, row, src[i*size:])
			}
		} else if i < 0 {
			clear(row)
		} else if from := src[i*size:][:size]; size == 64 {
			*(*[64]byte)(row) = *(*[64]byte)(from)
		} else {
			copy(row, from)
		}
	}
}

// putUnits copies units to the places that indices refer to, in the order of the indices:
//
//	dst[indices[j]] = src[j]
//
// Every index must be in range. Negative indices count from the end.
func putUnits[T any, I index.Integer](dst, src []T, indices []I) {
	src = src[:len(indices)]
	for j, v := range indices {
		if i := uint64(v); i < uint64(len(dst)) {
			dst[i] = src[j]
		} else {
			dst[int(v)+len(dst)] = src[j]
		}
	}
}

// putUnitsRange is putUnits for units first to last-1 of dst only.
func putUnitsRange[T any, I index.Integer](dst, src []T, indices []I, first, last int) {
	src = src[:len(indices)]
	span := uint(last - first)
	for j, v := range indices {
		i := int(v)
		if v < 0 {
			i += len(dst)
		}
		if uint(i-first) < span {
			dst[i] = src[j]
		}
	}
}

// putRows is putUnitsRange for rows of size bytes.
func putRows[I index.Integer](dst, src []byte, size int, indices []I, first, last int) {
	length := len(dst) / size
	span := uint(last - first)
	for j, v := range indices {
		i := int(v)
		if v < 0 {
			i += length
		}
		if uint(i-first) < span {
			copy(dst[i*size:(i+1)*size], src[j*size:(j+1)*size])
		}
	}
}
