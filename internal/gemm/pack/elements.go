package pack

import (
	"math"

	"github.com/vinoir/vinoir/internal/half"
)

// The elements of panels that hold several numbers, the first one in the lowest bits. Each takes
// the memory of a float32. That it is also the underlying type only means that what moves elements
// is compiled once for all of them: no arithmetic is done with it.
type (
	// Pair holds two bf16 or two f16.
	Pair float32
	// Quad holds QuadSize integers: four bytes, or two i16.
	Quad float32
	// Word holds two i16.
	Word float32
	// Sum is an int32, a sum of products of integers that ScaleSums, or the last block of a
	// product, replaces by a float32.
	Sum float32
	// Lane is the memory of any of these or of a float32, for what serves all types of elements.
	Lane float32
)

// Element is the constraint of the elements of panels: numbers of float32, f16 or bf16 in uint16,
// or what has the size of float32 and holds several numbers.
type Element interface{ ~float32 | uint16 }

// Bits returns the bits of x.
func Bits[E ~float32](x E) uint32 { return math.Float32bits(float32(x)) }

// PairOf returns the pair with the given bits.
func PairOf(bits uint32) Pair { return Pair(math.Float32frombits(bits)) }

// QuadOf returns the quad with the given bits.
func QuadOf(bits uint32) Quad { return Quad(math.Float32frombits(bits)) }

// WordOf returns the word of two numbers.
func WordOf(first, second int16) Word {
	return Word(math.Float32frombits(uint32(uint16(first)) | uint32(uint16(second))<<16))
}

// SumOf returns v as a sum.
func SumOf(v int32) Sum { return Sum(math.Float32frombits(uint32(v))) }

// Int32 returns the value of s.
func (s Sum) Int32() int32 { return int32(Bits(s)) }

// RoundedBits returns the bits of the bf16, or f16, nearest to v.
func RoundedBits(f16 bool, v float32) uint32 {
	if f16 {
		return uint32(half.F32ToF16(v))
	}
	return uint32(half.BFloat16Of(v))
}

// PairNumber returns the number in the lowest 16 bits of a pair.
func PairNumber(f16 bool, bits uint32) float32 {
	if f16 {
		return half.F16ToF32(uint16(bits))
	}
	return half.BFloat16(bits).Float32()
}
