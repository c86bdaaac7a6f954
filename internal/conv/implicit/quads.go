package implicit

import (
	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/gemm/pack"
)

// quadBytes is the number of bytes of a quad.
const quadBytes = 4

// PackQuads sets dst to the quads of up to size channels of the input, the planes of which follow
// each other in src. dst has the elements of a plane. outside is that of Quads. size is that of
// gemm.QuadSize: quads of two i16 hold the bytes minus outside.
func PackQuads(dst []gemm.Quad, src []uint8, outside uint8, size int) {
	rows := pack.RowsOfQuads(src, len(dst), len(src)/len(dst), len(dst))
	pack.QuadRows(dst, &rows, outside, size)
}

// FilterQuads returns the quads of filters [Groups*Out, In, taps] in the layout [Groups*Out, quads
// of a filter, taps], which PackFilters takes; each quad holds size elements, and 0 where there is
// none. filters must not be empty.
func FilterQuads(filters []int8, in, taps, size int) []gemm.Quad {
	dst := make([]gemm.Quad, len(filters)/(in*taps)*conv.CeilDiv(in, size)*taps)
	for to := dst; len(filters) > 0; filters = filters[in*taps:] {
		for c := 0; c < in; c += size {
			setFilterQuads(to[:taps], filters[c*taps:min(c+size, in)*taps], size)
			to = to[taps:]
		}
	}
	return dst
}

// setFilterQuads sets dst to the quads of up to size planes of filters, one for each element of a
// plane.
func setFilterQuads(dst []gemm.Quad, planes []int8, size int) {
	taps := len(dst)
	// as PackQuads, whose calls take longer than a few elements
	if size == quadBytes && len(planes) == size*taps {
		a, b, c, d := planes[:taps], planes[taps:][:taps], planes[2*taps:][:taps], planes[3*taps:][:taps]
		for i := range dst {
			dst[i] = pack.QuadOf(uint32(uint8(a[i])) | uint32(uint8(b[i]))<<8 | uint32(uint8(c[i]))<<16 | uint32(uint8(d[i]))<<24)
		}
		return
	}
	for i := range dst {
		dst[i] = pack.QuadOf(filterQuad(planes[i:], taps, size))
	}
}

// filterQuad returns the quad of every step-th element of list; 0 takes the place of those that are
// missing.
func filterQuad(list []int8, step, size int) uint32 {
	bits, width := uint32(0), 32/size
	for i := 0; i < size && i*step < len(list); i++ {
		bits |= uint32(list[i*step]) & (1<<width - 1) << (i * width)
	}
	return bits
}

// QuadsZero returns what is subtracted from the bytes of quads. outside is that of Quads.
func QuadsZero(outside uint8) uint8 {
	if gemm.QuadSize() == 2 {
		return outside
	}
	return gemm.QuadZero()
}

// FilterStarts returns, for filters with size elements each, the sum of their products with zero:
// what the sums of quads lack from which zero is subtracted, as QuadsZero returns it. It returns
// nil if that is nothing.
func FilterStarts(filters []int8, size int, zero uint8) []int32 {
	if zero == 0 {
		return nil
	}
	starts := make([]int32, len(filters)/size)
	for o := range starts {
		for _, w := range filters[o*size:][:size] {
			starts[o] += int32(w) * int32(zero)
		}
	}
	return starts
}
