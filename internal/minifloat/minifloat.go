// Package minifloat converts between float32 and OpenVINO's floating-point types of 4 and 8
// bits, and to float32 from further ones of ONNX. A number of these types is a code in the low bits
// of a byte. Rounding is to nearest, ties to even, except for NF4, whose ties round to the lower
// value. For F8E4M3 and F8E5M2, numbers are first rounded to f16, as in OpenVINO.
package minifloat

import (
	"math"

	"github.com/vinoir/vinoir/internal/half"
)

// F8E4M3ToF32 returns the value of an f8e4m3. It has 4 bits of exponent and 3 bits of
// mantissa, no infinities, and one NaN of each sign.
func F8E4M3ToF32(c uint8) float32 {
	if c&0x7f == 0x7f {
		return float32(math.NaN())
	}
	return value(c, 4, 3, 7)
}

// F32ToF8E4M3 rounds f to f16 and returns the nearest f8e4m3. It is NaN if |f| rounds to more
// than 464.
func F32ToF8E4M3(f float32) uint8 {
	sign, c := nearest(throughF16(f), 3, 7)
	return sign<<7 | uint8(min(c, 0x7f))
}

// F8E5M2ToF32 returns the value of an f8e5m2, which is the high byte of an f16.
func F8E5M2ToF32(c uint8) float32 {
	switch {
	case c&0x7f == 0x7c:
		return float32(math.Inf(1 - int(c>>7)*2))
	case c&0x7f > 0x7c:
		return float32(math.NaN())
	}
	return value(c, 5, 2, 15)
}

// F32ToF8E5M2 rounds f to f16 and returns the nearest f8e5m2. It is infinite if |f| rounds to
// 61440 or more.
func F32ToF8E5M2(f float32) uint8 {
	sign, c := nearest(throughF16(f), 2, 15)
	if f != f {
		return sign<<7 | 0x7e
	}
	return sign<<7 | uint8(min(c, 0x7c))
}

// F4E2M1ToF32 returns the value of an f4e2m1: a sign and 0, 0.5, 1, 1.5, 2, 3, 4 or 6.
func F4E2M1ToF32(c uint8) float32 { return value(c, 2, 1, 1) }

// F32ToF4E2M1 returns the f4e2m1 nearest to f. It is 6, with the sign of f, if f is NaN or
// |f| is greater than 6.
func F32ToF4E2M1(f float32) uint8 {
	sign, c := nearest(f, 1, 1)
	return sign<<3 | uint8(min(c, 7))
}

// F8E8M0ToF32 returns the value of an f8e8m0: 2 to the power of c-127, or NaN if c is 255.
func F8E8M0ToF32(c uint8) float32 {
	if c == 255 {
		return float32(math.NaN())
	}
	return float32(math.Ldexp(1, int(c)-127))
}

// F32ToF8E8M0 returns the f8e8m0 nearest to f. It is the smallest one if f is 0 or negative,
// the largest one if f is infinite, and NaN if f is NaN.
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

// nf4 holds the values of NF4, which are quantiles of the normal distribution.
var nf4 = [16]float32{
	-1, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453,
	-0.28444138169288635, -0.18477343022823334, -0.09105003625154495, 0,
	0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224,
	0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1,
}

// NF4ToF32 returns the value of an nf4.
func NF4ToF32(c uint8) float32 { return nf4[c&15] }

// F32ToNF4 returns the nf4 nearest to f. Ties round to the lower value, and NaN to -1.
func F32ToNF4(f float32) uint8 {
	c := uint8(0)
	for i := range nf4[:15] {
		if f > float32((float64(nf4[i])+float64(nf4[i+1]))/2) {
			c++
		}
	}
	return c
}

// F8E4M3FNUZToF32 returns the value of ONNX's FLOAT8E4M3FNUZ. It has 4 bits of exponent and 3 bits
// of mantissa, no infinities, no negative zero, and one NaN.
func F8E4M3FNUZToF32(c uint8) float32 {
	if c == 0x80 {
		return float32(math.NaN())
	}
	return value(c, 4, 3, 8)
}

// F8E5M2FNUZToF32 is F8E4M3FNUZToF32 with 5 bits of exponent and 2 bits of mantissa.
func F8E5M2FNUZToF32(c uint8) float32 {
	if c == 0x80 {
		return float32(math.NaN())
	}
	return value(c, 5, 2, 16)
}

// F6E2M3ToF32 returns the value of ONNX's FLOAT6E2M3. It has 2 bits of exponent and 3 bits of
// mantissa, no infinities, and no NaN.
func F6E2M3ToF32(c uint8) float32 { return value(c, 2, 3, 1) }

// F6E3M2ToF32 is F6E2M3ToF32 with 3 bits of exponent and 2 bits of mantissa.
func F6E3M2ToF32(c uint8) float32 { return value(c, 3, 2, 3) }

// throughF16 returns f rounded to f16.
func throughF16(f float32) float32 { return half.F16ToF32(half.F32ToF16(f)) }

// value returns the value of code c of a type with a sign bit, exp bits of exponent and man
// bits of mantissa. It treats codes of infinities and NaN as finite numbers.
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

// nearest returns the sign bit of f and the code, without its sign, of the value nearest to
// |f|. The code can exceed those of the type. It always does if f is infinite or NaN.
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
	// q is |f| in units of the last place, the leading 1 of normal numbers included. If it
	// is rounded up to the next power of two, the sum below has the next exponent.
	q := int(math.RoundToEven(math.Ldexp(a, man-e)))
	return sign, (e+bias-1)<<man + q
}
