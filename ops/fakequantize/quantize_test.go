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
	for n := range 70 {
		limit := func() *ir.Tensor {
			return layertest.Numbers(t, ir.F32, ir.Shape{3, 1}, rng.NormFloat64(), rng.NormFloat64()*3, 0.5)
		}
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
