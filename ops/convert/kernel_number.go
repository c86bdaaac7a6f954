package convert

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// fromInteger returns the conversion from integers of whole bytes. Pairs of types that models often
// convert have loops of their own, the others are converted by way of int64.
func fromInteger(src, dst ir.ElementType) ops.Part {
	switch src {
	case ir.U8:
		switch dst {
		case ir.U32, ir.I32:
			return plain[uint8, uint32]
		case ir.U64, ir.I64:
			return plain[uint8, uint64]
		case ir.F16:
			return toF16[uint8]
		case ir.Boolean:
			return nonZero[uint8]
		}
	case ir.I32:
		switch dst {
		case ir.U8, ir.I8:
			return plain[int32, uint8]
		case ir.F16:
			return toF16[int32]
		case ir.Boolean:
			return nonZero[int32]
		}
	case ir.U64:
		switch {
		case dst == ir.F32:
			return u64ToF32
		case dst == ir.F64:
			return plain[uint64, float64]
		case dst != ir.Boolean && !dst.IsInteger():
			return throughFloats(src, dst, referenceBF16)
		}
	}
	return throughIntegers(src, dst)
}

// input returns elements lo to hi-1 of the input. T is its type, or one of the same size. It is not
// inlined: its callers would be 1.4 KiB larger.
//
//go:noinline
func input[T ir.Element](r *ops.Run, lo, hi int) []T { return ir.Data[T](r.Inputs[0])[lo:hi] }

// output is input for the output. It is not inlined: its callers would be 2.2 KiB larger.
//
//go:noinline
func output[T ir.Element](r *ops.Run, lo, hi int) []T { return ir.Data[T](r.Outputs[0])[lo:hi] }

// plain converts elements with Go conversions. D must not be an integer if S is a float.
func plain[S, D cast.Number](r *ops.Run, lo, hi int) error {
	cast.Convert(output[D](r, lo, hi), input[S](r, lo, hi))
	return nil
}

// u64ToF32 is like plain, but rounds with roundLong.
func u64ToF32(r *ops.Run, lo, hi int) error {
	src, dst := input[uint64](r, lo, hi), output[float32](r, lo, hi)
	for i, v := range src {
		dst[i] = roundLong(v)
	}
	return nil
}

// roundLong returns the nearest float32, ties to even. Go's own conversion is inexact on some
// 32-bit platforms.
func roundLong[S int64 | uint64](v S) float32 {
	if math.MaxInt > math.MaxInt32 {
		return float32(v)
	}
	if top := v >> 53; top == 0 || top == ^S(0) {
		return float32(float64(v))
	}
	// short is exact as a float64. Its lowest bit is a sticky bit for the bits that are shifted
	// out.
	short := v >> 11
	if v&(1<<11-1) != 0 {
		short |= 1
	}
	return float32(float64(short)) * (1 << 11)
}

// toInt32 truncates v. NaN and values out of range become the lowest int32; in Go, their conversion
// depends on the processor.
func toInt32[S cast.Float](v S) int32 {
	if v >= math.MinInt32 && v < 1<<31 {
		return int32(v)
	}
	return math.MinInt32
}

func toInt64[S cast.Float](v S) int64 {
	if v >= math.MinInt64 && v < 1<<63 {
		return int64(v)
	}
	return math.MinInt64
}

// toUint64 truncates v. Negative numbers become their low 64 bits, as with toInt64. NaN becomes
// 2^63, and values of 2^64 or more become 0.
func toUint64[S cast.Float](v S) uint64 {
	switch {
	case v < 1<<63:
		return uint64(toInt64(v))
	case v < 1<<64:
		return uint64(v)
	case v != v:
		return 1 << 63
	}
	return 0
}

func toF16[S cast.Integer](r *ops.Run, lo, hi int) error {
	src, dst := input[S](r, lo, hi), output[uint16](r, lo, hi)
	for i, v := range src {
		dst[i] = half.F32ToF16(float32(v))
	}
	return nil
}

// referenceBF16 rounds like OpenVINO does for types other than f32 and f16: up if the remainder is
// at least half and the last kept bit is 1, else down.
func referenceBF16(f float32) half.BFloat16 {
	if f != f {
		return half.BFloat16Of(f)
	}
	b := math.Float32bits(f)
	return half.BFloat16((b + b>>1&0x8000) >> 16)
}

func nonZero[S cast.Number](r *ops.Run, lo, hi int) error {
	src, dst := input[S](r, lo, hi), output[bool](r, lo, hi)
	for i, v := range src {
		dst[i] = v != 0
	}
	return nil
}
