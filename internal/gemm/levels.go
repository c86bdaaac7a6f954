package gemm

import "github.com/vinoir/vinoir/internal/cast"

// QuadsOf returns the number of quads that hold n elements of the depth. The last one may have elements left.
func QuadsOf(n int) int { return (n + QuadSize() - 1) / QuadSize() }

// MaxLevelZero is the largest distance of the level of zero from level 0 for products of levels: sums of products of numbers that are all far from
// zero would be rounded too much.
const MaxLevelZero = 1 << 10

// LevelsPay reports whether it is faster to make quads of two matrices of u8 and to multiply them than to multiply float32, and whether all sums fit an
// int32. With few rows or columns, or a small depth, making the quads takes as long as is saved.
func LevelsPay(m, n, depth int) bool {
	const leastLines, leastDepth, mostDepth = 48, 32, (1<<31 - 1) / (255 * 255)
	return min(m, n) >= leastLines && depth >= leastDepth && depth <= mostDepth
}

// SetQuads sets dst to the quads of lines of src, which have depth bytes each, less zero. What is left of the last quad of a line becomes 0.
// Where QuadSize is 4, zero is 0 or 128.
func SetQuads(dst []float32, src []uint8, depth int, zero uint8) {
	size := QuadSize()
	if depth%size == 0 {
		depth = len(src) // one line
	}
	quads := (depth + size - 1) / size
	for len(src) > 0 {
		line, from := dst[:quads], src[:depth]
		dst, src = dst[quads:], src[depth:]
		if size == 2 {
			WidenBytes(line, from, zero)
			continue
		}
		to := cast.Memory(line)
		for i := copy(to, from); i < len(to); i++ {
			to[i] = zero
		}
		if zero > 0 {
			quads := cast.Slice[uint32](line)
			for i := range quads {
				quads[i] ^= flips(zero)
			}
		}
	}
}

// SetQuadColumns is SetQuads for n columns of src, whose rows are stride bytes apart: row i of dst has the quads of rows i*QuadSize and below.
// Rows of dst are ldd quads apart.
func SetQuadColumns(dst []float32, ldd int, src []uint8, stride, n, depth int, zero uint8) {
	size := QuadSize()
	for p := 0; p < depth; p += size {
		to, from := cast.Slice[uint32](dst[p/size*ldd:][:n]), src[p*stride:]
		rows, j := min(size, depth-p), 0
		if rows == size {
			j = columnVectors(to, from, stride, size, zero)
		}
		if rows == 4 {
			r0, r1, r2, r3 := from[:n], from[stride:][:n], from[2*stride:][:n], from[3*stride:][:n]
			for ; j < n; j++ {
				to[j] = (uint32(r0[j]) | uint32(r1[j])<<8 | uint32(r2[j])<<16 | uint32(r3[j])<<24) ^ flips(zero)
			}
		}
		for ; j < n; j++ {
			to[j] = 0
			for i := range rows {
				element := uint32(from[i*stride+j]) - uint32(zero)
				if size == 2 {
					to[j] |= element & 0xffff << (16 * i)
				} else {
					to[j] |= element & 0xff << (8 * i)
				}
			}
		}
	}
}

// flips returns four bytes that combine a quad with zero by exclusive or. That subtracts 128 from bytes.
func flips(zero uint8) uint32 { return uint32(zero) * 0x01010101 }
