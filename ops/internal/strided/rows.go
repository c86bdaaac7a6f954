package strided

// Rows copies rows of n elements. The strides are the distances between rows, and must not be
// negative:
//
//	for each row r: dst[r*dstStride:][:n] = src[r*srcStride:][:n]
//
// Short rows are moved as arrays, which is faster than a call of copy.
func Rows[T any](dst, src []T, rows, n, dstStride, srcStride int) {
	switch n {
	case 0:
	case 1:
		for r := range rows {
			dst[r*dstStride] = src[r*srcStride]
		}
	case 2:
		for r := range rows {
			*(*[2]T)(dst[r*dstStride:]) = *(*[2]T)(src[r*srcStride:])
		}
	case 3:
		for r := range rows {
			*(*[3]T)(dst[r*dstStride:]) = *(*[3]T)(src[r*srcStride:])
		}
	case 4:
		for r := range rows {
			*(*[4]T)(dst[r*dstStride:]) = *(*[4]T)(src[r*srcStride:])
		}
	case 8:
		for r := range rows {
			*(*[8]T)(dst[r*dstStride:]) = *(*[8]T)(src[r*srcStride:])
		}
	default:
		for r := range rows {
			copy(dst[r*dstStride:][:n], src[r*srcStride:][:n])
		}
	}
}
