// Package minifloat converts between float32 and OpenVINO's floating-point types
// of 4 and 8 bits, given as codes in the low bits of a byte. Rounding is to
// nearest, ties to even, but for NF4, whose codes are bounded by the middles
// between its values. The types that are an f16 cut short are rounded by way of
// one, as OpenVINO does.
package minifloat

import (
	"math"

	"github.com/vinoir/vinoir/internal/half"
)

// F8E4M3ToF32 returns the value of an f8e4m3: 4 bits of exponent, 3 of mantissa,
// no infinity, one NaN of each sign.
func F8E4M3ToF32(c uint8) float32 {
	if c&0x7f == 0x7f {
		return float32(math.NaN())
	}
	return value(c, 4, 3, 7)
}

// F32ToF8E4M3 returns the f8e4m3 nearest to f rounded to f16, NaN for what is
// beyond 464.
func F32ToF8E4M3(f float32) uint8 {
	sign, c := nearest(throughF16(f), 3, 7)
	return sign<<7 | uint8(min(c, 0x7f))
}

// F8E5M2ToF32 returns the value of an f8e5m2: the high half of an f16.
func F8E5M2ToF32(c uint8) float32 {
	switch {
	case c&0x7f == 0x7c:
		return float32(math.Inf(1 - int(c>>7)*2))
	case c&0x7f > 0x7c:
		return float32(math.NaN())
	}
	return value(c, 5, 2, 15)
}

// F32ToF8E5M2 returns the f8e5m2 nearest to f rounded to f16, an infinity from
// 61440 on.
func F32ToF8E5M2(f float32) uint8 {
	sign, c := nearest(throughF16(f), 2, 15)
	if f != f {
		return sign<<7 | 0x7e
	}
	return sign<<7 | uint8(min(c, 0x7c))
}

// F4E2M1ToF32 returns the value of an f4e2m1: 0, 0.5, 1, 1.5, 2, 3, 4 or 6 with a
// sign.
func F4E2M1ToF32(c uint8) float32 { return value(c, 2, 1, 1) }

// F32ToF4E2M1 returns the f4e2m1 nearest to f; the largest for a NaN and for what
// is beyond it.
func F32ToF4E2M1(f float32) uint8 {
	sign, c := nearest(f, 1, 1)
	return sign<<3 | uint8(min(c, 7))
}

// F8E8M0ToF32 returns the value of an f8e8m0: 2 to the power of c-127, NaN for 255.
func F8E8M0ToF32(c uint8) float32 {
	if c == 255 {
		return float32(math.NaN())
	}
	return float32(math.Ldexp(1, int(c)-127))
}

// F32ToF8E8M0 returns the f8e8m0 nearest to f: the smallest for what is not
// positive, the largest for an infinity.
func F32ToF8E8M0(f float32) uint8 {
	switch {
	case f != f:
		return 255
	case f <= 0:
		return 0
	case f > math.MaxFloat32:
		return 254
	}
	m, e := math.Frexp(float64(f)) // f = m 2^e, 0.5 <= m < 1
	c := min(max(e-1+127, 0), 254)
	if m > 0.75 || m == 0.75 && c%2 == 1 {
		c++
	}
	return uint8(min(c, 254))
}

// nf4 holds the values of NF4: quantiles of the normal distribution.
var nf4 = [16]float32{
	-1, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453,
	-0.28444138169288635, -0.18477343022823334, -0.09105003625154495, 0,
	0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224,
	0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1,
}

// NF4ToF32 returns the value of an nf4.
func NF4ToF32(c uint8) float32 { return nf4[c&15] }

// F32ToNF4 returns the nf4 nearest to f, the lower of two that are equally near,
// and the lowest for a NaN.
func F32ToNF4(f float32) uint8 {
	c := uint8(0)
	for i := range nf4[:15] {
		if f > float32((float64(nf4[i])+float64(nf4[i+1]))/2) {
			c++
		}
	}
	return c
}

func throughF16(f float32) float32 { return half.F16ToF32(half.F32ToF16(f)) }

// value returns the value of a sign, exp bits of exponent and man bits of
// mantissa; it knows of no infinity and no NaN.
func value(c uint8, exp, man, bias int) float32 {
	e := int(c >> man & (1<<exp - 1))
	m := float64(c & (1<<man - 1))
	if e > 0 {
		m += float64(int(1) << man)
		e--
	}
	v := math.Ldexp(m, e+1-bias-man)
	if c>>(exp+man)&1 == 1 {
		v = -v
	}
	return float32(v)
}

// nearest returns the sign bit of f, and the exponent and mantissa, in one
// number, of the value nearest to |f|; more than any type's codes for an infinity
// and a NaN.
func nearest(f float32, man, bias int) (sign uint8, code int) {
	sign = uint8(math.Float32bits(f) >> 31)
	a := math.Abs(float64(f))
	switch {
	case a == 0:
		return sign, 0
	case !(a <= math.MaxFloat32):
		return sign, 1 << 16
	}
	_, e := math.Frexp(a) // a < 2^e
	e = max(e-1, 1-bias)
	// In units of the last bit that this exponent has, so that the carry of
	// rounding up runs into the exponent.
	q := int(math.RoundToEven(math.Ldexp(a, man-e)))
	return sign, (e+bias-1)<<man + q
}
