package convert

import (
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

//go:generate go run ./_neon -out kernel_arm64.s -stubs kernel_stubs_arm64.go -pkg convert

// vectorPart returns the conversions that have vector instructions; nil for all other types.
func vectorPart(src, dst ir.ElementType) ops.Part {
	switch src {
	case ir.F32:
		return vectorPartFromF32(dst)
	case ir.I64, ir.U64:
		switch {
		case dst == ir.I32 || dst == ir.U32:
			return vectorPartOf(rowI64ToI32, convertible, func(v int64) int32 { return int32(v) })
		case dst == ir.F32 && src == ir.I64:
			return vectorPartOf(rowI64ToF32AVX512, convertibleLong, roundLong[int64])
		}
	case ir.I32:
		switch dst {
		case ir.F32:
			return vectorPartOf(rowI32ToF32, convertible, func(v int32) float32 { return float32(v) })
		case ir.I64, ir.U64:
			return vectorPartOf(rowI32ToI64, convertible, func(v int32) int64 { return int64(v) })
		}
	case ir.U32:
		if dst == ir.I64 || dst == ir.U64 {
			return vectorPartOf(rowU32ToI64, convertible, func(v uint32) int64 { return int64(v) })
		}
	case ir.Boolean:
		if dst == ir.F32 {
			return vectorPartOf(rowBooleanToF32, convertible, decoder(ir.Boolean))
		}
	case ir.I8:
		if dst == ir.F32 {
			return vectorPartOf(rowI8ToF32, convertible, func(v int8) float32 { return float32(v) })
		}
	case ir.U8:
		if dst == ir.F32 {
			return vectorPartOf(rowU8ToF32, convertible, func(v uint8) float32 { return float32(v) })
		}
	}
	return nil
}

func vectorPartFromF32(dst ir.ElementType) ops.Part {
	switch dst {
	case ir.F16:
		return partOf(half.F32sToF16s)
	case ir.BF16:
		return partOf(half.F32sToBF16s)
	case ir.I32:
		return partOf(f32ToI32)
	case ir.I64:
		return vectorPartOf(rowF32ToI64AVX512, convertibleLong, toInt64[float32])
	case ir.U8, ir.I8: // both have the same low bits
		return partOf(f32ToU8)
	}
	return nil
}

var (
	f32ToI32 = withAssembly(rowF32ToI32, convertible, toInt32[float32])
	f32ToU8  = withAssembly(rowF32ToU8, convertible, func(v float32) uint8 { return uint8(toInt32(v)) })
)

// withAssembly returns a loop that converts convertible(n) of n elements with code, and the rest
// with one.
func withAssembly[S, D any](code func(dst *D, src *S, n int), convertible func(n int) int, one func(S) D) func(dst []D, src []S) {
	return func(dst []D, src []S) {
		n := convertible(len(src))
		if n > 0 {
			code(&dst[0], &src[0], n)
		}
		for i, v := range src[n:] {
			dst[n+i] = one(v)
		}
	}
}

// partOf returns the conversion that loop does. S and D are the types of the layer, or types of the
// same size.
func partOf[S, D ir.Element](loop func(dst []D, src []S)) ops.Part {
	return func(r *ops.Run, lo, hi int) error {
		src, dst := input[S](r, lo, hi), output[D](r, lo, hi)
		loop(dst, src)
		return nil
	}
}

func vectorPartOf[S, D ir.Element](code func(dst *D, src *S, n int), convertible func(n int) int, one func(S) D) ops.Part {
	return partOf(withAssembly(code, convertible, one))
}
