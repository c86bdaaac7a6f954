package convert

import (
	"math"

	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

type float interface{ float32 | float64 }

type number interface{ integer | float }

// fromInteger returns the conversion of integers of whole bytes.
func fromInteger[S integer](dst ir.ElementType) ops.Part {
	switch dst {
	case ir.U8:
		return cast[S, uint8]
	case ir.U16:
		return cast[S, uint16]
	case ir.U32:
		return cast[S, uint32]
	case ir.U64:
		return cast[S, uint64]
	case ir.I8:
		return cast[S, int8]
	case ir.I16:
		return cast[S, int16]
	case ir.I32:
		return cast[S, int32]
	case ir.I64:
		return cast[S, int64]
	case ir.F32:
		return cast[S, float32]
	case ir.F64:
		return cast[S, float64]
	case ir.F16:
		return toF16[S]
	case ir.BF16:
		return toBF16[S]
	case ir.Boolean:
		return nonZero[S]
	}
	if dst.IsInteger() {
		return toCode(dst, func(v S) uint8 { return uint8(v) })
	}
	encode := encoder(dst)
	return toCode(dst, func(v S) uint8 { return encode(float32(v)) })
}

// fromFloat returns the conversion of float32 or float64.
func fromFloat[S float](dst ir.ElementType) ops.Part {
	switch dst {
	case ir.U8:
		return cut32[S, uint8]
	case ir.U16:
		return cut32[S, uint16]
	case ir.U32:
		return cut64[S, uint32]
	case ir.U64:
		return cutU64[S]
	case ir.I8:
		return cut32[S, int8]
	case ir.I16:
		return cut32[S, int16]
	case ir.I32:
		return cut32[S, int32]
	case ir.I64:
		return cut64[S, int64]
	case ir.F32:
		return cast[S, float32]
	case ir.F64:
		return cast[S, float64]
	case ir.F16:
		return toF16[S]
	case ir.BF16:
		return toBF16[S]
	case ir.Boolean:
		return nonZero[S]
	}
	if dst.IsInteger() {
		return toCode(dst, func(v S) uint8 { return uint8(toInt32(v)) })
	}
	encode := encoder(dst)
	return toCode(dst, func(v S) uint8 { return encode(float32(v)) })
}

// rows returns elements lo to hi-1 of the input and of the output.
func rows[S, D ir.Element](r *ops.Run, lo, hi int) ([]S, []D) {
	return ir.Data[S](r.Inputs[0])[lo:hi], ir.Data[D](r.Outputs[0])[lo:hi]
}

// cast converts as Go does. D is not an integer where S is a float.
func cast[S, D number](r *ops.Run, lo, hi int) error {
	src, dst := rows[S, D](r, lo, hi)
	for i, v := range src {
		dst[i] = D(v)
	}
	return nil
}

// u64ToF32 is cast that rounds by roundLong.
func u64ToF32(r *ops.Run, lo, hi int) error {
	src, dst := rows[uint64, float32](r, lo, hi)
	for i, v := range src {
		dst[i] = roundLong(v)
	}
	return nil
}

// roundLong rounds to the nearest, ties to even, which Go itself misses on some
// 32-bit platforms.
func roundLong[S int64 | uint64](v S) float32 {
	if math.MaxInt > math.MaxInt32 {
		return float32(v)
	}
	if top := v >> 53; top == 0 || top == ^S(0) {
		return float32(float64(v))
	}
	// A float64 holds these bits, of which the last tells of those behind it.
	short := v >> 11
	if v&(1<<11-1) != 0 {
		short |= 1
	}
	return float32(float64(short)) * (1 << 11)
}

func cut32[S float, D integer](r *ops.Run, lo, hi int) error {
	src, dst := rows[S, D](r, lo, hi)
	for i, v := range src {
		dst[i] = D(toInt32(v))
	}
	return nil
}

func cut64[S float, D integer](r *ops.Run, lo, hi int) error {
	src, dst := rows[S, D](r, lo, hi)
	for i, v := range src {
		dst[i] = D(toInt64(v))
	}
	return nil
}

func cutU64[S float](r *ops.Run, lo, hi int) error {
	src, dst := rows[S, uint64](r, lo, hi)
	for i, v := range src {
		dst[i] = toUint64(v)
	}
	return nil
}

// toInt32 cuts off the fraction; what an int32 cannot hold, NaN included, is the
// least one. Go leaves such conversions to the processor.
func toInt32[S float](v S) int32 {
	if v >= math.MinInt32 && v < 1<<31 {
		return int32(v)
	}
	return math.MinInt32
}

func toInt64[S float](v S) int64 {
	if v >= math.MinInt64 && v < 1<<63 {
		return int64(v)
	}
	return math.MinInt64
}

// toUint64 takes the low bits of negative numbers.
func toUint64[S float](v S) uint64 {
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

func toF16[S number](r *ops.Run, lo, hi int) error {
	src, dst := rows[S, uint16](r, lo, hi)
	for i, v := range src {
		dst[i] = half.F32ToF16(float32(v))
	}
	return nil
}

func f32ToF16(r *ops.Run, lo, hi int) error {
	src, dst := rows[float32, uint16](r, lo, hi)
	half.F32sToF16s(dst, src)
	return nil
}

func f32ToBF16(r *ops.Run, lo, hi int) error {
	src, dst := rows[float32, half.BFloat16](r, lo, hi)
	half.F32sToBF16s(dst, src)
	return nil
}

func toBF16[S number](r *ops.Run, lo, hi int) error {
	src, dst := rows[S, half.BFloat16](r, lo, hi)
	for i, v := range src {
		dst[i] = referenceBF16(float32(v))
	}
	return nil
}

// referenceBF16 rounds as OpenVINO does from types other than f32 and f16: up from
// half where the last bit kept is 1, else down.
func referenceBF16(f float32) half.BFloat16 {
	if f != f {
		return half.BFloat16Of(f)
	}
	b := math.Float32bits(f)
	return half.BFloat16((b + b>>1&0x8000) >> 16)
}

func nonZero[S number](r *ops.Run, lo, hi int) error {
	src, dst := rows[S, bool](r, lo, hi)
	for i, v := range src {
		dst[i] = v != 0
	}
	return nil
}
