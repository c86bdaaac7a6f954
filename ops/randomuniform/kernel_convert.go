package randomuniform

import (
	"math"
	"math/bits"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/ir"
)

// bufferLen is the number of words that are converted at a time.
const bufferLen = 512

// conversion converts random words to elements of a type.
type conversion struct {
	// words is the number of words for an element, 1 or 2. convert sets elements from to to-1 of
	// out to what x gives.
	words   int
	convert func(out *ir.Tensor, from, to int, x []uint32)
}

func conversionTo[T ir.Element](words int, convert func(out []T, x []uint32)) conversion {
	return conversion{words, func(out *ir.Tensor, from, to int, x []uint32) { convert(ir.Data[T](out)[from:to], x) }}
}

func less[T int32 | int64 | float32 | float64](lo, hi T) bool { return lo < hi }

// span is a range of floats: its width and its lower end.
type span[F float32 | float64] struct{ width, lo F }

// of returns the number at u, from 0 to 1. The conversion keeps the compiler from fusing the
// operations, which rounds differently on some processors.
func (s span[F]) of(u F) F { return F(u*s.width) + s.lo }

func float32s(lo, hi float32, pytorch bool) conversion {
	s := span[float32]{hi - lo, lo}
	if pytorch {
		return conversionTo(1, func(out []float32, x []uint32) {
			for i, v := range x {
				out[i] = s.of(float32(v&(1<<24-1)) / (1 << 24))
			}
		})
	}
	return conversionTo(1, func(out []float32, x []uint32) {
		for i := scaleUnits(out, x, s); i < len(x); i++ {
			out[i] = s.of(math.Float32frombits(127<<23|x[i]&(1<<23-1)) - 1)
		}
	})
}

func float64s(lo, hi float64, pytorch bool) conversion {
	s := span[float64]{hi - lo, lo}
	if pytorch {
		return conversionTo(2, func(out []float64, x []uint32) {
			for i := range out {
				out[i] = s.of(float64((uint64(x[2*i])<<32|uint64(x[2*i+1]))&(1<<53-1)) / (1 << 53))
			}
		})
	}
	return conversionTo(2, func(out []float64, x []uint32) {
		for i := range out {
			out[i] = s.of(math.Float64frombits(1023<<52|uint64(x[2*i]&(1<<20-1))<<32|uint64(x[2*i+1])) - 1)
		}
	})
}

// halves returns the conversion to a 16-bit type with the given number of bits in the mantissa.
// Each operation is rounded to the type. An element depends on so few bits of a word that a table
// has them all.
func halves[T ir.Element](load func(T) float32, store func(float32) T, mantissa int) func(lo, hi T, pytorch bool) conversion {
	return func(lo, hi T, pytorch bool) conversion {
		round := func(x float32) float32 { return load(store(x)) }
		width := round(load(hi) - load(lo))
		n := 1 << mantissa
		if pytorch {
			n *= 2
		}
		table := make([]T, n)
		for i := range table {
			table[i] = store(round(float32(i)/float32(n)*width) + load(lo))
		}
		return conversionTo(1, func(out []T, x []uint32) {
			for i, v := range x {
				out[i] = table[v&uint32(n-1)]
			}
		})
	}
}

// integers is a range of integers: its width, 1 or more, the whole part of 1<<64-1 divided by it,
// and its lower end.
type integers struct{ width, inverse, lo uint64 }

func integersOf(lo, hi int64) integers {
	width := uint64(hi) - uint64(lo)
	return integers{width, math.MaxUint64 / width, uint64(lo)}
}

// of returns x%width+lo. The product with the inverse is the quotient or one less.
func (s integers) of(x uint64) uint64 {
	quotient, _ := bits.Mul64(x, s.inverse)
	x -= quotient * s.width
	if x >= s.width {
		x -= s.width
	}
	return x + s.lo
}

func int32s(lo, hi int32, _ bool) conversion {
	s := integersOf(int64(lo), int64(hi))
	return conversionTo(1, func(out []int32, x []uint32) {
		for i, v := range x {
			out[i] = int32(s.of(uint64(v)))
		}
	})
}

func int64s(lo, hi int64, pytorch bool) conversion {
	s := integersOf(lo, hi)
	// PyTorch draws a word of 32 bits for each element if lo and hi fit one, and else two, of which
	// the first is the upper half.
	if pytorch && lo <= math.MaxUint32 && hi <= math.MaxUint32 {
		return conversionTo(1, func(out []int64, x []uint32) {
			for i, v := range x {
				out[i] = int64(s.of(uint64(v)))
			}
		})
	}
	if pytorch {
		return conversionTo(2, func(out []int64, x []uint32) {
			for i := range out {
				out[i] = int64(s.of(uint64(x[2*i])<<32 | uint64(x[2*i+1])))
			}
		})
	}
	return conversionTo(2, func(out []int64, x []uint32) {
		s, pairs := s, cast.Bytes[[2]uint32](cast.Memory(x))
		out = out[:len(pairs)]
		for i := range pairs {
			pair := &pairs[i]
			out[i] = int64(s.of(uint64(pair[1])<<32 | uint64(pair[0])))
		}
	})
}
