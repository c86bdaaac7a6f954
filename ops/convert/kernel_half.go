package convert

import (
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// fromHalf returns the conversion from f16 or bf16. The conversion to f32, which the weights of
// most models need, has its own loop.
func fromHalf(src, dst ir.ElementType) ops.Part {
	switch {
	case dst != ir.F32:
		return throughFloats(src, dst, half.BFloat16Of)
	case src == ir.F16:
		return f16ToF32
	}
	return bf16ToF32
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
