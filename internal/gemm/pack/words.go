package pack

import (
	"github.com/vinoir/vinoir/internal/cast"
)

// WidenBytes sets dst, which has half as many elements, rounded up, to the words of src less zero,
// and the second number of an odd word to 0.
func WidenBytes(dst []Word, src []uint8, zero uint8) {
	to := cast.Bytes[uint16](cast.Memory(dst))
	for i := widenVectors(dst, src, zero); i < len(src); i++ {
		to[i] = uint16(src[i]) - uint16(zero)
	}
	clear(to[len(src):])
}

// ScaleSums replaces the sums in c by numbers of float32: c[i]*scale[i] + offset[i].
func ScaleSums(c []Sum, scale, offset []float32) {
	for i := scaleVectors(c, scale, offset); i < len(c); i++ {
		c[i] = Sum(float64(c[i].Int32())*float64(scale[i]) + float64(offset[i]))
	}
}
