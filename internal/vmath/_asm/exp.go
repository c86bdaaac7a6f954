package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// constants are vectors of one number each, in memory because there are more of
// them than registers.
var constants struct {
	base    Mem
	offsets map[uint32]int
}

// constant returns the vector of the given bits.
func constant(bits uint32) Mem {
	if constants.offsets == nil {
		constants.base = GLOBL("constants", RODATA|NOPTR)
		constants.offsets = make(map[uint32]int)
	}
	offset, ok := constants.offsets[bits]
	if !ok {
		offset = len(constants.offsets) * 4 * lanes
		constants.offsets[bits] = offset
		for i := range lanes {
			DATA(offset+4*i, U32(bits))
		}
	}
	return constants.base.Offset(offset)
}

func number(x float64) Mem { return constant(math.Float32bits(float32(x))) }

// exponential0 returns exp(x), by x = n*ln(2) + r and a polynomial of r. The power
// of two is multiplied in two halves, so that results beyond the normal numbers
// come out as infinities, subnormal numbers and zeros. NaN stays NaN: it is the
// operand that the minimum and the maximum return.
func exponential0(x VecVirtual) VecVirtual {
	clamped, n, y := YMM(), YMM(), YMM()
	VMOVUPS(number(89), clamped)
	VMINPS(x, clamped, clamped)
	VMOVUPS(number(-104), n)
	VMAXPS(clamped, n, clamped)
	VMULPS(number(math.Log2E), clamped, n)
	VROUNDPS(Imm(0), n, n)
	// ln(2) in two parts, of which the first has few bits.
	VFNMADD231PS(number(0.693359375), n, clamped)
	VFNMADD231PS(number(-2.12194440e-4), n, clamped)
	VMOVUPS(number(1.9875691500e-4), y)
	for _, p := range []float64{1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1, 1, 1} {
		VFMADD213PS(number(p), clamped, y)
	}
	half, rest := YMM(), YMM()
	VCVTPS2DQ(n, n)
	VPSRAD(Imm(1), n, half)
	VPSUBD(half, n, rest)
	for _, power := range []VecVirtual{half, rest} {
		VPADDD(constant(127), power, power)
		VPSLLD(Imm(23), power, power)
		VMULPS(power, y, y)
	}
	return y
}
