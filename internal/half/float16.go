package half

import "math"

// F16ToF32 returns the f16 h as a float32. The conversion is exact.
func F16ToF32(h uint16) float32 {
	sign, b := uint32(h&0x8000)<<16, uint32(h&0x7fff)<<13
	switch h & 0x7c00 {
	case 0: // zero and subnormals: with mantissa m, f is 2^-14 + m*2^-24 - 2^-14
		const one = 0x1p-14
		f := math.Float32frombits(b|0x38800000) - one
		return math.Float32frombits(math.Float32bits(f) | sign)
	case 0x7c00: // infinities and NaN; a NaN becomes quiet, as in F16C
		if b != 0x7c00<<13 {
			b |= 0x400000
		}
		return math.Float32frombits(b | 0x7f800000 | sign)
	}
	return math.Float32frombits(b + 0x38000000 | sign)
}

// F32ToF16 returns the f16 nearest to f, ties to even. It is infinite if |f| is 65520 or more,
// and NaN if f is NaN.
func F32ToF16(f float32) uint16 {
	b := math.Float32bits(f)
	sign := uint16(b >> 16 & 0x8000)
	b &= 0x7fffffff
	switch {
	case b >= 0x38800000 && b < 0x47800000: // normal, 2^-14 to 2^16
		// Rebias the exponent and add half a unit of the last place, less 1 if the truncated
		// result is even: ties round to even. A carry into the exponent is right too, even
		// if the result is infinite.
		return sign | uint16((b-0x38000000+0xfff+b>>13&1)>>13)
	case b < 0x38800000: // subnormal
		// The last bit of a float32 near 0.5 is 2^-24, the smallest f16: the sum is rounded
		// as the f16 must be.
		return sign | uint16(math.Float32bits(math.Float32frombits(b)+0.5)-0x3f000000)
	case b > 0x7f800000: // NaN
		return sign | 0x7e00 | uint16(b>>13&0x3ff)
	}
	return sign | 0x7c00
}
