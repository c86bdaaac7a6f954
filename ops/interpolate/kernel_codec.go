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

// maxI64 is the greatest float64 that fits an int64.
const maxI64 = 0x1p63 - 1024

// integerCodec returns the codec of an integer type. It rounds to the nearest integer, halves
// to even, and limits the result to the type; NaN becomes 0. If truncate is true, it drops
// fractions and surplus bits instead.
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
