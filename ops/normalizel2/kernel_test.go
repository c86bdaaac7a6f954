package normalizel2

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// reference computes the definition. It compares the position of each element with that of
// every other one.
func reference(shape ir.Shape, x []float64, axes []bool, eps float64, mode string) []float64 {
	out := make([]float64, len(x))
	for i := range x {
		sum := 0.0
		for k := range x {
			same := true
			a, b := index.Position(i, shape), index.Position(k, shape)
			for axis := range shape {
				same = same && (axes[axis] || a[axis] == b[axis])
			}
			if same {
				sum += x[k] * x[k]
			}
		}
		if mode == "max" {
			out[i] = x[i] / math.Sqrt(max(sum, eps))
		} else {
			out[i] = x[i] / math.Sqrt(sum+eps)
		}
	}
	return out
}

var tolerances = map[ir.ElementType]float64{ir.F64: 1e-13, ir.F32: 1e-6, ir.F16: 2e-3, ir.BF16: 2e-2}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 100, checkRandom) }

func TestKernel_stages(t *testing.T) {
	shape := ir.Shape{2, 30, 9, 7}
	values := make([]float64, shape.Elements())
	for i := range values {
		values[i] = float64(i%37)/4 - 4
	}
	for _, axes := range [][]int64{{}, {1}, {3}, {1, 3}, {2, 3}, {0, 1, 2, 3}} {
		layertest.CheckStages(t, &Ops[0], layertest.Attributes{"eps", "0.5", "eps_mode", "add"}, 2,
			layertest.Numbers(t, ir.F32, shape, values...), layertest.Ints(t, ir.I64, ir.Shape{len(axes)}, axes...))
	}
}

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	shape := ir.Shape{rng.IntN(20)}
	for range rng.IntN(4) {
		shape = append(shape, rng.IntN(5))
	}
	if shape.Elements() > 300 {
		shape = shape[:2]
	}
	values := layertest.RandomNumbers(rng, 8, 0.25, shape.Elements())
	axes, set := []float64{}, make([]bool, len(shape))
	for axis := range shape {
		if rng.IntN(2) == 0 || axis == len(shape)-1 && len(axes) == 0 {
			set[axis] = true
			axes = append(axes, float64(axis-rng.IntN(2)*len(shape)))
		}
	}
	mode := []string{"add", "max"}[rng.IntN(2)]
	want := reference(shape, values, set, 0.5, mode)
	for elementType, tolerance := range tolerances {
		layertest.CheckNear(t, &Ops[0], layertest.Attributes{"eps", "0.5", "eps_mode", mode}, shape, want, tolerance,
			layertest.Numbers(t, elementType, shape, values...), layertest.Numbers(t, ir.I32, ir.Shape{len(axes)}, axes...))
	}
}

func TestKernel_withoutAxes(t *testing.T) {
	for elementType := range tolerances {
		for _, mode := range []string{"add", "max"} {
			out, err := layertest.Run(&Ops[0], layertest.Attributes{"eps", "0.5", "eps_mode", mode}, 1,
				layertest.Numbers(t, elementType, ir.Shape{4}, -3, 0, math.Copysign(0, -1), 0.5), layertest.Numbers(t, ir.I64, ir.Shape{0}))
			require.NoError(t, err)
			assert.Equal(t, []float64{1, 0, 0, 1}, layertest.Floats(t, out))
		}
	}
}

func TestKernel_scalarAxis(t *testing.T) {
	out, err := layertest.Run(&Ops[0], layertest.Attributes{"eps", "0", "eps_mode", "add"}, 1,
		layertest.Numbers(t, ir.F32, ir.Shape{2}, 3, -4), layertest.Numbers(t, ir.I64, ir.Shape{}, -1))
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{0.6, -0.8}, layertest.Floats(t, out), 1e-7)
}

// TestKernel_squares has elements whose squares overflow f16.
func TestKernel_squares(t *testing.T) {
	out, err := layertest.Run(&Ops[0], layertest.Attributes{"eps", "0", "eps_mode", "add"}, 1,
		layertest.Numbers(t, ir.F16, ir.Shape{1, 2}, 30000, -40000), layertest.Numbers(t, ir.I64, ir.Shape{1}, 1))
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{0.6, -0.8}, layertest.Floats(t, out), 1e-3)
}
