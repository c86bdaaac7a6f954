// Package half holds the 16-bit floating-point types: bfloat16, and conversions
// of rows of either to and from float32.
package half

import "math"

// BFloat16 is the upper half of a float32: bf16, ONNX's bfloat16. Package ops
// exports it.
type BFloat16 uint16

// BFloat16Of returns f rounded to the nearest BFloat16, to the even one of two
// that are equally near. A NaN stays a NaN.
func BFloat16Of(f float32) BFloat16 {
	b := math.Float32bits(f)
	if f != f {
		return BFloat16(b>>16 | 0x40)
	}
	return BFloat16((b + 0x7fff + b>>16&1) >> 16)
}

// Float32 returns b as a float32, which holds it exactly.
func (b BFloat16) Float32() float32 { return math.Float32frombits(uint32(b) << 16) }
