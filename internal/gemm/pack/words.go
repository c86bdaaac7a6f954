package pack

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
)

// WidenBytes sets dst, which has half as many elements, rounded up, to the words of src less zero,
// and the second number of an odd word to 0.
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
