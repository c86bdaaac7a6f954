package half_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"github.com/vinoir/vinoir/internal/half"
)

func TestEveryF16(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		want := float16.Frombits(h).Float32()
		got := half.F16ToF32(h)
		if want != want {
			require.True(t, got != got, "%#x", h)
			continue
		}
		require.Equal(t, math.Float32bits(want), math.Float32bits(got), "%#x", h)
		require.Equal(t, h, half.F32ToF16(got), "%#x", h)
	}
}

// TestRounding tests numbers next to each f16 and numbers halfway between two of them.
func TestRounding(t *testing.T) {
	check := func(f float32) {
		if f != f {
			h := half.F32ToF16(f)
			require.True(t, h&0x7fff > 0x7c00, "%#x of %#x", h, math.Float32bits(f))
			b := uint16(half.BFloat16Of(f))
			require.True(t, b&0x7fff > 0x7f80, "%#x of %#x", b, math.Float32bits(f))
			return
		}
		require.Equal(t, float16.Fromfloat32(f).Bits(), half.F32ToF16(f), "%v", f)
		require.Equal(t, nearestBF16(f), uint16(half.BFloat16Of(f)), "%v", f)
	}
	for i := range 1 << 16 {
		b := math.Float32bits(half.F16ToF32(uint16(i)))
		for _, d := range []int32{-0x1001, -0x1000, -0xfff, -1, 1, 0xfff, 0x1000, 0x1001} {
			check(math.Float32frombits(b + uint32(d)))
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		check(math.Float32frombits(rng.Uint32()))
	}
	for _, b := range []uint32{0, 1, 0x80000000, 0x7f800000, 0xff800000, 0x7f800001, 0x7fffffff, 0x7f7fffff, 0x7f7f8000, 0x3f808000, 0x3f818000} {
		check(math.Float32frombits(b))
	}
}

// nearestBF16 returns the bf16 nearest to f. It compares the distances to both neighbours.
func nearestBF16(f float32) uint16 {
	lo := uint16(math.Float32bits(f) >> 16)
	if math.IsInf(float64(f), 0) {
		return lo
	}
	value := func(h uint16) float64 {
		if h&0x7fff == 0x7f80 { // infinity: the number that would follow the largest one
			return math.Copysign(0x1p128, float64(f))
		}
		return float64(half.BFloat16(h).Float32())
	}
	d := math.Abs(float64(f)-value(lo)) - math.Abs(float64(f)-value(lo+1))
	if d < 0 || d == 0 && lo%2 == 0 {
		return lo
	}
	return lo + 1
}

func TestSlices(t *testing.T) {
	for _, n := range []int{0, 1, 7, 8, 9, 31, 32, 33, 100} {
		halves := make([]uint16, n)
		floats := make([]float32, n)
		for i := range n {
			halves[i] = uint16(i * 601)
			floats[i] = float32(i)*1.37 - 20
		}
		f := make([]float32, n+1)
		h := make([]uint16, n+1)
		h[n], f[n] = 77, 77
		half.F16sToF32s(f, halves)
		half.F32sToF16s(h, floats)
		for i := range n {
			require.Equal(t, math.Float32bits(half.F16ToF32(halves[i])), math.Float32bits(f[i]))
			require.Equal(t, half.F32ToF16(floats[i]), h[i])
		}
		require.Equal(t, float32(77), f[n])
		require.Equal(t, uint16(77), h[n])

		bf := make([]half.BFloat16, n+1)
		bf[n] = 77
		half.F32sToBF16s(bf, floats)
		half.BF16sToF32s(f, bf[:n])
		for i := range n {
			require.Equal(t, half.BFloat16Of(floats[i]), bf[i])
			require.Equal(t, bf[i].Float32(), f[i])
		}
		require.Equal(t, half.BFloat16(77), bf[n])
		require.Equal(t, float32(77), f[n])
	}
}

func BenchmarkSlices(b *testing.B) {
	f, h, bf := make([]float32, 4096), make([]uint16, 4096), make([]half.BFloat16, 4096)
	for i := range f {
		f[i] = float32(i) / 7
	}
	half.F32sToF16s(h, f)
	b.SetBytes(4 * 4096)
	b.Run("f16 to f32", func(b *testing.B) {
		for b.Loop() {
			half.F16sToF32s(f, h)
		}
	})
	b.Run("f32 to f16", func(b *testing.B) {
		for b.Loop() {
			half.F32sToF16s(h, f)
		}
	})
	b.Run("bf16 to f32", func(b *testing.B) {
		for b.Loop() {
			half.BF16sToF32s(f, bf)
		}
	})
	b.Run("f32 to bf16", func(b *testing.B) {
		for b.Loop() {
			half.F32sToBF16s(bf, f)
		}
	})
}
