package strided

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
)

// Transpose sets dst to the transposition of a matrix in src. The strides are the distances between
// rows, dstStride at least rows and srcStride at least columns:
//
//	for each i < rows, j < columns: dst[j*dstStride+i] = src[i*srcStride+j]
//
// It is for matrices that fit a cache: a caller divides larger ones into tiles.
func Transpose[T uint16 | float32 | float64](dst, src []T, rows, columns, dstStride, srcStride int) {
	if rows == 0 || columns == 0 {
		return
	}
	dst, src = dst[:(columns-1)*dstStride+rows], src[:(rows-1)*srcStride+columns]
	k, l := 0, 0 // the lengths that squares has moved
	size := int(unsafe.Sizeof(*new(T)))
	if size <= 4 && rows != 3 && columns != 3 {
		p := plane{axis{columns, dstStride * size, 8}, axis{rows, 8, srcStride * size}}
		k, l = squares(cast.Memory(dst), cast.Memory(src), p, size)
	}
	if l < rows {
		transpose(dst, src, l, l*srcStride, axis{columns, dstStride, 1}, axis{rows - l, 1, srcStride})
	}
	if k < columns && l > 0 {
		transpose(dst, src, k*dstStride, k, axis{columns - k, dstStride, 1}, axis{l, 1, srcStride})
	}
}
