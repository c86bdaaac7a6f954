package vmath

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
)

// forEachISA runs test with all instruction sets of the machine, with AVX2 only, and with the
// portable loops.
func forEachISA(t *testing.T, test func(t *testing.T)) {
	t.Run("vectors", test)
	t.Run("AVX2", func(t *testing.T) {
		defer cpu.AVX512.Disable()()
		test(t)
	})
	t.Run("loops", func(t *testing.T) {
		for _, f := range cpu.Features() {
			defer f.Disable()()
		}
		test(t)
	})
}

// randomFloats returns n numbers, followed by a guard. They are not aligned for vectors.
func randomFloats(rng *rand.Rand, n int, scale float64) []float32 {
	x := make([]float32, n+2)[1:]
	x[n] = guard
	for i := range n {
		x[i] = float32(rng.NormFloat64() * scale)
	}
	return x[:n]
}

var rowLengths = []int{0, 1, 2, 7, 8, 9, 15, 16, 31, 32, 33, 63, 64, 65, 100, 127, chunk - 1, chunk, chunk + 1, 2*chunk + 77}

func TestMax(t *testing.T) {
	forEachISA(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 1))
		for _, n := range rowLengths[1:] {
			x := randomFloats(rng, n, 1)
			for _, at := range []int{0, n / 2, n - 1, rng.IntN(n)} {
				x := append([]float32(nil), x...)
				x[at] = 100
				require.Equal(t, float32(100), Max(x), "element %d of %d", at, n)
				x[at] = float32(math.Inf(1))
				require.True(t, math.IsInf(float64(Max(x)), 1))
			}
			for i := range x {
				x[i] = float32(math.Inf(-1))
			}
			require.True(t, math.IsInf(float64(Max(x)), -1), "%d elements", n)
		}
	})
}

func TestSums(t *testing.T) {
	forEachISA(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(2, 2))
		for _, n := range rowLengths {
			x := randomFloats(rng, n, 3)
			m := float32(rng.NormFloat64())
			sum, magnitude, squares := 0.0, 0.0, 0.0
			for _, v := range x {
				sum += float64(v)
				magnitude += math.Abs(float64(v))
				squares += (float64(v) - float64(m)) * (float64(v) - float64(m))
			}
			// A lane adds up at most 512 numbers in float32, each time with an error of half a ULP.
			require.InDelta(t, sum, Sum(x), magnitude*0x1p-24*8, "%d elements", n)
			require.InDelta(t, squares, Squares(x, m), squares*0x1p-24*16, "%d elements", n)
		}
		assert.True(t, math.IsNaN(Sum([]float32{1, float32(math.NaN())})))
		assert.True(t, math.IsNaN(Squares([]float32{1, float32(math.NaN()), 2}, 1)))
	})
}

func TestExpSum(t *testing.T) {
	forEachISA(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 3))
		for _, n := range rowLengths {
			x, out := randomFloats(rng, n, 10), randomFloats(rng, n, 1)
			if n%2 == 1 {
				out = x
			}
			m, sum := float32(3), 0.0
			want := make([]float64, n)
			for i, v := range x {
				want[i] = math.Exp(float64(v - m))
				sum += want[i]
			}
			require.InDelta(t, sum, ExpSum(out, x, m), sum*1e-6, "%d elements", n)
			requireGuard(t, out)
			for i, w := range want {
				unit := float64(math.Nextafter32(float32(w), math.MaxFloat32)) - float64(float32(w))
				require.InDelta(t, w, out[i], 3*unit, "element %d of %d", i, n)
			}
		}
		x := []float32{float32(math.Inf(-1)), 0, float32(math.NaN())}
		assert.True(t, math.IsNaN(ExpSum(x, x, 0)))
		assert.Equal(t, []float32{0, 1}, x[:2])
		assert.True(t, x[2] != x[2])
	})
}

func TestAffine(t *testing.T) {
	forEachISA(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(4, 4))
		for n := range 100 {
			x, out := randomFloats(rng, n, 10), randomFloats(rng, n, 1)
			if n%2 == 1 {
				out = x
			}
			want := make([]float64, n)
			for i, v := range x {
				want[i] = (float64(v)-1.5)*0.25 + 7
			}
			Affine(out, x, 1.5, 0.25, 7)
			requireGuard(t, out)
			for i, w := range want {
				require.InDelta(t, w, out[i], 1e-5, "element %d of %d", i, n)
			}
		}
	})
}

func TestRows_tooShort(t *testing.T) {
	forEachISA(t, func(t *testing.T) {
		x, short := make([]float32, 9), make([]float32, 8)
		assert.Panics(t, func() { ExpSum(short, x, 0) })
		assert.Panics(t, func() { Affine(short, x, 0, 1, 0) })
		assert.Panics(t, func() { Max(nil) })
	})
}

func BenchmarkRows(b *testing.B) {
	x, out := make([]float32, 1024), make([]float32, 1024)
	for name, f := range map[string]func(){
		"Max": func() { Max(x) }, "Sum": func() { Sum(x) }, "Squares": func() { Squares(x, 1) },
		"ExpSum": func() { ExpSum(out, x, 1) }, "Affine": func() { Affine(out, x, 1, 2, 3) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(4096)
			for b.Loop() {
				f()
			}
		})
	}
}

func TestSoftmax(t *testing.T) {
	forEachISA(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 5))
		for n := 1; n < 40; n++ {
			for _, rows := range []int{0, 1, 2, 3, 5, 41} {
				x, out := randomFloats(rng, n*rows, 10), randomFloats(rng, n*rows, 1)
				if n%2 == 1 {
					out = x
				}
				var want []float64
				for row := range rows {
					m, sum := math.Inf(-1), 0.0
					for _, v := range x[row*n:][:n] {
						m = max(m, float64(v))
					}
					for _, v := range x[row*n:][:n] {
						sum += math.Exp(float64(v) - m)
					}
					for _, v := range x[row*n:][:n] {
						want = append(want, math.Exp(float64(v)-m)/sum)
					}
				}
				Softmax(out, x, n)
				requireGuard(t, out)
				for i, w := range want {
					require.InDelta(t, w, out[i], 1e-6, "element %d, %d rows of %d", i, rows, n)
				}
			}
		}
		inf, nan := float32(math.Inf(1)), float32(math.NaN())
		x := []float32{-inf, 3, -inf, nan, 1, 2, -inf, -inf, -inf, 1, 2, nan}
		Softmax(x, x, 3)
		assert.Equal(t, []float32{0, 1, 0}, x[:3])
		for _, v := range x[3:] {
			assert.True(t, v != v, "%v", x)
		}
		x = []float32{-inf, 3, 1, 1, 0, 1000, nan, 1, 2, nan, -inf, -inf, inf, 1}
		Softmax(x, x, 2)
		assert.Equal(t, []float32{0, 1, 0.5, 0.5, 0, 1}, x[:6])
		y := []float32{-inf, -inf, 3, -inf, 1, 1, 1, 1, nan, 1, 2, 3, 1, 2, 3, nan, -inf, -inf, -inf, -inf}
		Softmax(y, y, 4)
		assert.Equal(t, []float32{0, 0, 1, 0, 0.25, 0.25, 0.25, 0.25}, y[:8])
		for _, v := range append(y[8:], x[6:12]...) {
			assert.True(t, v != v, "%v, %v", x, y)
		}
	})
}
