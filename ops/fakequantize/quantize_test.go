package fakequantize

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// TestVectorRow compares rows of all lengths with the portable loop, bit by bit.
func TestVectorRow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	compareRows(t, rng, func(int) *ir.Tensor {
		return layertest.Numbers(t, ir.F32, ir.Shape{3, 1}, rng.NormFloat64(), rng.NormFloat64()*3, 0.5)
	})
}

// TestVectorColumns compares rows whose elements have limits of their own, of which some are NaN.
func TestVectorColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	compareRows(t, rng, func(n int) *ir.Tensor {
		if n = []int{n, n, 1}[rng.IntN(3)]; n == 1 {
			return layertest.Numbers(t, ir.F32, ir.Shape{3, 1}, rng.NormFloat64(), rng.NormFloat64()*3, 0.5)
		}
		values := make([]float64, n)
		for i := range values {
			values[i] = rng.NormFloat64()
			if rng.IntN(20) == 0 {
				values[i] = []float64{math.NaN(), math.Inf(1), 0.5}[rng.IntN(3)]
			}
		}
		return layertest.Numbers(t, ir.F32, ir.Shape{n}, values...)
	})
}

func compareRows(t *testing.T, rng *rand.Rand, limitOf func(n int) *ir.Tensor) {
	for n := range 70 {
		if n == 69 {
			n = 700 // several pieces
		}
		limit := func() *ir.Tensor { return limitOf(n) }
		values := make([]float64, 3*n)
		for i := range values {
			values[i] = rng.NormFloat64() * 2
			if rng.IntN(8) == 0 {
				values[i] = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0.5}[rng.IntN(4)]
			}
		}
		in := []*ir.Tensor{layertest.Numbers(t, ir.F32, ir.Shape{3, n}, values...), limit(), limit(), limit(), limit()}
		attributes := layertest.Attributes{"levels", []string{"2", "16", "255", "16777216"}[n%4]}
		got, err := layertest.Run(&Ops[0], attributes, 1, in...)
		require.NoError(t, err)
		restore := cpu.AVX2.Disable()
		want, err := layertest.Run(&Ops[0], attributes, 1, in...)
		restore()
		require.NoError(t, err)
		for i, w := range ir.Data[float32](want) {
			if g := ir.Data[float32](got)[i]; w == w || g == g {
				require.Equal(t, math.Float32bits(w), math.Float32bits(g), "element %d of rows of %d: %v of %v, want %v", i, n, g, values[i], w)
			}
		}
	}
}

// TestVectorRow_quotients compares quotients that the assembly computes without a division, for
// limits of all sizes. Limits that it does not take are among them.
func TestVectorRow_quotients(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x, got := make([]float32, 1000), make([]float32, 1000)
	if l := levelOf[float32](0, 1, 0, 1); !l.vectorRow(got, x, 255) {
		t.Skip("no vector code on this machine")
	}
	for _, isa := range []string{"AVX-512", "AVX2"} {
		if isa == "AVX2" {
			defer cpu.AVX512.Disable()()
		}
		taken := 0
		for round := range 2000 {
			width := float32(math.Ldexp(1+rng.Float64(), rng.IntN(140)-70))
			if round%8 == 0 {
				width = math.Float32frombits(math.Float32bits(width) | 1<<23 - 1)
			}
			low := float32(rng.NormFloat64()) * width
			levels := float32([]int{1, 15, 254, 255, 65535, 1<<24 - 1, rng.IntN(1<<20) + 1}[rng.IntN(7)])
			l := levelOf(low, low+width, float32(rng.NormFloat64()), float32(rng.NormFloat64()))
			if round%2 == 0 {
				l = levelOf(low+width, low, l.outLow, l.outHigh)
			}
			for i := range x {
				x[i] = low + width*rng.Float32()
				if i%8 == 0 {
					// between two levels
					x[i] = low + width*(float32(rng.IntN(int(levels)+1))+.5)/levels
				}
			}
			if !l.vectorRow(got, x, levels) {
				continue
			}
			taken++
			for i, v := range x {
				want := l.apply(v, levels, 3<<22)
				require.Equal(t, math.Float32bits(want), math.Float32bits(got[i]), "%s: %v of %+v, %v levels: %v, want %v", isa, v, l, levels, got[i], want)
			}
		}
		require.Greater(t, taken, 1000, isa)
	}
}
