// Package half converts between float32 and the 16-bit floating-point types: f16, whose
// numbers are uint16 here, and bf16, which is BFloat16.
package half

import "math"

// BFloat16 is a bf16: the upper 16 bits of a float32. Package ops exports it.
type BFloat16 uint16

// BFloat16Of returns the BFloat16 nearest to f, ties to even. It is infinite if f is too
// large, and NaN if f is NaN.
func BFloat16Of(f float32) BFloat16 {
	b := math.Float32bits(f)
	if f != f {
		return BFloat16(b>>16 | 0x40)
	}
	return BFloat16((b + 0x7fff + b>>16&1) >> 16)
}

// Float32 returns b as a float32. The conversion is exact.
func (b BFloat16) Float32() float32 { return math.Float32frombits(uint32(b) << 16) }
