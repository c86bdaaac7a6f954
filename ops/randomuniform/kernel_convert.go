package randomuniform

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/random"
)

// bufferLen is the number of words that are converted at a time.
const bufferLen = 512

// words returns the conversion of one random word of 32 bits each. scale returns what the
// conversion needs to know of lo and hi. unit converts words of Philox, twisted those of the
// Mersenne twister.
func words[T ir.Element, S any](less func(lo, hi T) bool, scale func(lo, hi T) S, unit, twisted func(out []T, x []uint32, s S)) conversion[T] {
	return conversion[T]{
		less: less, perGroup: 4,
		fill: func(out []T, g random.Philox, n uint64, lo, hi T, buffer []uint32) {
			for s := scale(lo, hi); len(out) > 0; n += bufferLen / 4 {
				x := buffer[:min(bufferLen, len(out))]
				g.Fill(x, n)
				unit(out[:len(x)], x, s)
				out = out[len(x):]
			}
		},
		sequence: func(out []T, m *random.Mersenne, lo, hi T, buffer []uint32) {
			for s := scale(lo, hi); len(out) > 0; {
				x := buffer[:min(bufferLen, len(out))]
				m.Fill(x)
				twisted(out[:len(x)], x, s)
				out = out[len(x):]
			}
		},
	}
}

func less[T int32 | int64 | float32 | float64](lo, hi T) bool { return lo < hi }

// span is a range of floats: its width and its lower end.
type span[F float32 | float64] struct{ width, lo F }

func spanOf[F float32 | float64](lo, hi F) span[F] { return span[F]{hi - lo, lo} }

// of returns the number at u, from 0 to 1. The conversion keeps the compiler from fusing the
// operations, which rounds differently on some processors.
func (s span[F]) of(u F) F { return F(u*s.width) + s.lo }

var float32s = words(less[float32], spanOf[float32],
	func(out []float32, x []uint32, s span[float32]) {
		for i := scaleUnits(out, x, s); i < len(x); i++ {
			out[i] = s.of(math.Float32frombits(127<<23|x[i]&(1<<23-1)) - 1)
		}
	},
	func(out []float32, x []uint32, s span[float32]) {
		for i, v := range x {
			out[i] = s.of(float32(v&(1<<24-1)) / (1 << 24))
		}
	})

// halves returns the conversion to a 16-bit type with the given number of bits in the mantissa.
// Each operation is rounded to the type.
func halves[T ir.Element](load func(T) float32, store func(float32) T, mantissa uint) conversion[T] {
	round := func(x float32) float32 { return load(store(x)) }
	convert := func(bits uint) func(out []T, x []uint32, s span[float32]) {
		return func(out []T, x []uint32, s span[float32]) {
			for i, v := range x {
				u := float32(v&(1<<bits-1)) / float32(uint32(1)<<bits)
				out[i] = store(round(u*s.width) + s.lo)
			}
		}
	}
	return words(func(lo, hi T) bool { return load(lo) < load(hi) },
		func(lo, hi T) span[float32] { return span[float32]{round(load(hi) - load(lo)), load(lo)} },
		convert(mantissa), convert(mantissa+1))
}

// integers is a range of integers; width is 1 or more.
type integers struct{ width, lo uint64 }

func (s integers) of(x uint64) uint64 { return x%s.width + s.lo }

var int32s = words(less[int32],
	func(lo, hi int32) integers { return integers{uint64(int64(hi) - int64(lo)), uint64(lo)} },
	int32sOf, int32sOf)

func int32sOf(out []int32, x []uint32, s integers) {
	for i, v := range x {
		out[i] = int32(v%uint32(s.width) + uint32(s.lo))
	}
}

var int64s = conversion[int64]{
	less: less[int64], perGroup: 2,
	fill: func(out []int64, g random.Philox, n uint64, lo, hi int64, _ []uint32) {
		s := integers{uint64(hi) - uint64(lo), uint64(lo)}
		for len(out) > 0 {
			x := g.Group(n)
			n++
			out[0] = int64(s.of(uint64(x[1])<<32 | uint64(x[0])))
			if len(out) > 1 {
				out[1] = int64(s.of(uint64(x[3])<<32 | uint64(x[2])))
			}
			out = out[min(2, len(out)):]
		}
	},
	// PyTorch draws a word of 32 bits for each element if lo and hi fit one.
	sequence: func(out []int64, m *random.Mersenne, lo, hi int64, _ []uint32) {
		s := integers{uint64(hi) - uint64(lo), uint64(lo)}
		for i := range out {
			if lo <= math.MaxUint32 && hi <= math.MaxUint32 {
				out[i] = int64(s.of(uint64(m.Next())))
			} else {
				out[i] = int64(s.of(m.Next64()))
			}
		}
	},
}

var float64s = conversion[float64]{
	less: less[float64], perGroup: 2,
	fill: func(out []float64, g random.Philox, n uint64, lo, hi float64, _ []uint32) {
		s := spanOf(lo, hi)
		unit := func(high, low uint32) float64 {
			return math.Float64frombits(1023<<52|uint64(high&(1<<20-1))<<32|uint64(low)) - 1
		}
		for len(out) > 0 {
			x := g.Group(n)
			n++
			out[0] = s.of(unit(x[0], x[1]))
			if len(out) > 1 {
				out[1] = s.of(unit(x[2], x[3]))
			}
			out = out[min(2, len(out)):]
		}
	},
	sequence: func(out []float64, m *random.Mersenne, lo, hi float64, _ []uint32) {
		s := spanOf(lo, hi)
		for i := range out {
			out[i] = s.of(float64(m.Next64()&(1<<53-1)) / (1 << 53))
		}
	},
}
