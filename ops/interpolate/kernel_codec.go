package interpolate

import (
	"math"

	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
)

func f16Codec() codec[float32] {
	return codec[float32]{
		load:  func(dst []float32, t *ir.Tensor) { half.F16sToF32s(dst, ir.Data[uint16](t)) },
		store: func(t *ir.Tensor, src []float32) { half.F32sToF16s(ir.Data[uint16](t), src) },
	}
}

func bf16Codec() codec[float32] {
	return codec[float32]{
		load:  func(dst []float32, t *ir.Tensor) { half.BF16sToF32s(dst, ir.Data[half.BFloat16](t)) },
		store: func(t *ir.Tensor, src []float32) { half.F32sToBF16s(ir.Data[half.BFloat16](t), src) },
	}
}

// maxI64 is the greatest float64 that an int64 holds.
const maxI64 = 0x1p63 - 1024

// integerCodec rounds to the nearest integer, halves to the even one, and to the
// limits of the type. NaN is 0. It drops fractions and the bits that are too many
// instead if truncate is true.
func integerCodec[T int8 | uint8 | int32 | int64, F float32 | float64](truncate bool, least, most F) codec[F] {
	rounded := func(v F) F {
		if v != v {
			return 0
		}
		return min(max(F(math.RoundToEven(float64(v))), least), most)
	}
	return codec[F]{
		load: func(dst []F, t *ir.Tensor) {
			for i, v := range ir.Data[T](t) {
				dst[i] = F(v)
			}
		},
		store: func(t *ir.Tensor, src []F) {
			out := ir.Data[T](t)
			for i, v := range src {
				if truncate {
					out[i] = T(int64(min(max(v, -maxI64), maxI64)))
					continue
				}
				out[i] = T(rounded(v))
			}
		},
		round: func(row []F) {
			for i, v := range row {
				row[i] = rounded(v)
			}
		},
	}
}
