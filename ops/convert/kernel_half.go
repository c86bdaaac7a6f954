package convert

import (
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// fromHalf returns the conversion from f16 or bf16. The conversion to f32, which the weights of
// most models need, has its own loop. The other types are converted element by element by way of
// f32.
func fromHalf(src, dst ir.ElementType) ops.Part {
	f32 := half.F16ToF32
	if src == ir.BF16 {
		f32 = func(h uint16) float32 { return half.BFloat16(h).Float32() }
	}
	switch dst {
	case ir.F32:
		if src == ir.F16 {
			return f16ToF32
		}
		return bf16ToF32
	case ir.F64:
		return each(func(h uint16) float64 { return float64(f32(h)) })
	case ir.F16:
		return each(func(h uint16) uint16 { return half.F32ToF16(f32(h)) })
	case ir.BF16:
		return each(func(h uint16) half.BFloat16 { return half.BFloat16Of(f32(h)) })
	case ir.Boolean:
		return each(func(h uint16) bool { return h&0x7fff != 0 })
	case ir.U8, ir.I8: // both have the same low bits
		return each(func(h uint16) uint8 { return uint8(toInt32(f32(h))) })
	case ir.U16, ir.I16:
		return each(func(h uint16) uint16 { return uint16(toInt32(f32(h))) })
	case ir.U32:
		return each(func(h uint16) uint32 { return uint32(toInt64(f32(h))) })
	case ir.U64:
		return each(func(h uint16) uint64 { return toUint64(f32(h)) })
	case ir.I32:
		return each(func(h uint16) int32 { return toInt32(f32(h)) })
	case ir.I64:
		return each(func(h uint16) int64 { return toInt64(f32(h)) })
	}
	if dst.IsInteger() {
		return toCode(dst, func(h uint16) uint8 { return uint8(toInt32(f32(h))) })
	}
	encode := encoder(dst)
	return toCode(dst, func(h uint16) uint8 { return encode(f32(h)) })
}

func f16ToF32(r *ops.Run, lo, hi int) error {
	src, dst := input[uint16](r, lo, hi), output[float32](r, lo, hi)
	half.F16sToF32s(dst, src)
	return nil
}

func bf16ToF32(r *ops.Run, lo, hi int) error {
	src, dst := input[half.BFloat16](r, lo, hi), output[float32](r, lo, hi)
	half.BF16sToF32s(dst, src)
	return nil
}

// each converts one element at a time.
func each[D ir.Element](convert func(uint16) D) ops.Part {
	return func(r *ops.Run, lo, hi int) error {
		src, dst := input[uint16](r, lo, hi), output[D](r, lo, hi)
		for i, h := range src {
			dst[i] = convert(h)
		}
		return nil
	}
}
