package gemm

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
)

// NewWords returns a kernel whose elements are words: two i16 in the place of a float32, the first one in the lowest bits. The
// depth counts words. The panels are packed and multiplied like those of float32, without an Epilogue; c holds the sums, which are
// int32 in the place of float32 and wrap:
//
//	c[i,j] = sum over p of first(a[i,p])*first(b[p,j]) + second(a[i,p])*second(b[p,j])
//
// It must be used only where HasWords returns true.
func NewWords() *Kernel[float32] {
	return &Kernel[float32]{Tiling{MR: 6, NR: 16, KC: 384, isa: words}}
}

// WidenBytes sets dst, which has half as many elements, rounded up, to the words of src less zero, and the second number of an odd word to 0.
func WidenBytes(dst []float32, src []uint8, zero uint8) {
	to := cast.Bytes[uint16](cast.Memory(dst))
	for i := widenVectors(dst, src, zero); i < len(src); i++ {
		to[i] = uint16(src[i]) - uint16(zero)
	}
	clear(to[len(src):])
}

// Word returns the word of two numbers.
func Word(first, second int16) float32 {
	return math.Float32frombits(uint32(uint16(first)) | uint32(uint16(second))<<16)
}

// ScaleSums replaces the sums in c by float32: c[i]*scale[i] + offset[i].
func ScaleSums(c, scale, offset []float32) {
	for i := scaleVectors(c, scale, offset); i < len(c); i++ {
		sum := int32(math.Float32bits(c[i]))
		c[i] = float32(float64(sum)*float64(scale[i]) + float64(offset[i]))
	}
}
