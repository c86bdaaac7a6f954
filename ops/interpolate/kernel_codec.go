package interpolate

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/vmath"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// halfCodec returns the codec of f16 or bf16.
func halfCodec(c *widened.Conversion) codec[float32] {
	return codec[float32]{
		load: func(stop parallel.Stop, dst []float32, t *ir.Tensor, lo int) {
			c.Load(stop, cast.Memory(dst), t, lo)
		},
		store: func(stop parallel.Stop, t *ir.Tensor, src []float32, lo int) {
			c.Store(stop, t, lo, cast.Memory(src))
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
		dst = dst[:len(src)]
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
		load: func(stop parallel.Stop, dst []F, t *ir.Tensor, lo int) {
			parallel.Convert(stop, dst, ir.Data[T](t)[lo:][:len(dst)], load)
		},
		store: func(stop parallel.Stop, t *ir.Tensor, src []F, lo int) {
			parallel.Convert(stop, ir.Data[T](t)[lo:][:len(src)], src, store)
		},
		round: func(row []F) {
			for i, v := range row {
				row[i] = rounded(v)
			}
		},
	}
}

// u8Codec returns integerCodec of u8, with vector code where there is any.
func u8Codec(truncate bool) codec[float32] {
	c := integerCodec[uint8, float32](truncate, 0, math.MaxUint8)
	clamp, round := vmath.Unary(vmath.Clamp, 0, math.MaxUint8), vmath.Unary(vmath.RoundHalfToEven)
	if truncate || clamp == nil || round == nil {
		return c
	}
	c.round = func(row []float32) {
		for len(row) > 0 {
			piece := row[:min(len(row), roundPiece)]
			clamp(piece, piece) // NaN becomes 0
			round(piece, piece)
			row = row[len(piece):]
		}
	}
	store := func(dst []uint8, src []float32) {
		dst = dst[:len(src)]
		c.round(src)
		for i, v := range src {
			dst[i] = uint8(int32(v))
		}
	}
	c.store = func(stop parallel.Stop, t *ir.Tensor, src []float32, lo int) {
		parallel.Convert(stop, ir.Data[uint8](t)[lo:][:len(src)], src, store)
	}
	return c
}

// roundPiece is the number of elements that stay in the L1 cache between two functions.
const roundPiece = 1 << 11
