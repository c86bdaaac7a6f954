package interpolate

import (
	"math"

	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
)

func f16Codec() codec[float32] {
	return codec[float32]{
		load: func(stop parallel.Stop, dst []float32, t *ir.Tensor) {
			parallel.Convert(stop, dst, ir.Data[uint16](t), half.F16sToF32s)
		},
		store: func(stop parallel.Stop, t *ir.Tensor, src []float32) {
			parallel.Convert(stop, ir.Data[uint16](t), src, half.F32sToF16s)
		},
	}
}

func bf16Codec() codec[float32] {
	return codec[float32]{
		load: func(stop parallel.Stop, dst []float32, t *ir.Tensor) {
			parallel.Convert(stop, dst, ir.Data[half.BFloat16](t), half.BF16sToF32s)
		},
		store: func(stop parallel.Stop, t *ir.Tensor, src []float32) {
			parallel.Convert(stop, ir.Data[half.BFloat16](t), src, half.F32sToBF16s)
		},
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
	load := func(dst []F, src []T) {
		for i, v := range src {
			dst[i] = F(v)
		}
	}
	store := func(dst []T, src []F) {
		for i, v := range src {
			if truncate {
				dst[i] = T(int64(min(max(v, -maxI64), maxI64)))
				continue
			}
			dst[i] = T(rounded(v))
		}
	}
	return codec[F]{
		load:  func(stop parallel.Stop, dst []F, t *ir.Tensor) { parallel.Convert(stop, dst, ir.Data[T](t), load) },
		store: func(stop parallel.Stop, t *ir.Tensor, src []F) { parallel.Convert(stop, ir.Data[T](t), src, store) },
		round: func(row []F) {
			for i, v := range row {
				row[i] = rounded(v)
			}
		},
	}
}
