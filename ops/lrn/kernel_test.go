package lrn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// reference computes the definition. It compares the position of each element with that of
// every other one.
func reference(shape ir.Shape, x []float64, axes []int, size int, alpha, beta, bias float64) []float64 {
	out := make([]float64, len(x))
	n := math.Pow(float64(size), float64(len(axes)))
	for i := range x {
		sum := 0.0
		for k := range x {
			within := true
			a, b := index.Position(i, shape), index.Position(k, shape)
			for axis := range shape {
				reach := 0
				if slices.Contains(axes, axis) {
					reach = (size - 1) / 2
				}
				within = within && a[axis]-b[axis] <= reach && b[axis]-a[axis] <= reach
			}
			if within {
				sum += x[k] * x[k]
			}
		}
		out[i] = x[i] / math.Pow(bias+alpha/n*sum, beta)
	}
	return out
}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 150, checkRandom) }

func TestKernel_stages(t *testing.T) {
	shape := ir.Shape{2, 9, 40, 31}
	values := make([]float64, shape.Elements())
	for i := range values {
		values[i] = float64(i%37)/4 - 4
	}
	for _, axes := range [][]int64{{1}, {3}, {1, 2}, {}} {
		layertest.CheckStages(t, &Ops[0], layertest.Attributes{"alpha", "0.5", "beta", "0.75", "bias", "1.5", "size", "5"}, 2,
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
	axes := []int{}
	for axis := range shape {
		if rng.IntN(2) == 0 {
			axes = append(axes, axis)
		}
	}
	checkAxesOf(t, rng, shape, values, axes)
}

func checkAxesOf(t *testing.T, rng *rand.Rand, shape ir.Shape, values []float64, axes []int) {
	size := 1 + rng.IntN(9)
	beta := []float64{0.75, 1, 0.5, 2}[rng.IntN(4)]
	want := reference(shape, values, axes, size, 0.5, beta, 1.5)
	named := make([]float64, len(axes))
	for i, axis := range axes {
		named[i] = float64(axis)
	}
	attributes := layertest.Attributes{"alpha", "0.5", "beta", fmt.Sprint(beta), "bias", "1.5", "size", fmt.Sprint(size)}
	for elementType, tolerance := range map[ir.ElementType]float64{ir.F64: 1e-13, ir.F32: 1e-6, ir.F16: 2e-3, ir.BF16: 2e-2} {
		layertest.CheckNear(t, &Ops[0], attributes, shape, want, tolerance,
			layertest.Numbers(t, elementType, shape, values...), layertest.Numbers(t, ir.I64, ir.Shape{len(axes)}, named...))
	}
}

// TestKernel_tiles has columns for more than one tile and thread.
func TestKernel_tiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	shape := ir.Shape{1, 5, 130}
	values := make([]float64, shape.Elements())
	for i := range values {
		values[i] = rng.NormFloat64()
	}
	for range 5 {
		checkAxesOf(t, rng, shape, values, []int{1})
	}
}

// TestKernel_sizes has extreme and negative sizes.
func TestKernel_sizes(t *testing.T) {
	for size, want := range map[string][]float64{
		"9223372036854775807": {1, 2, 3}, "0": {0, 0, 0}, "-2": {2, -2, -6.0 / 7},
	} {
		out, err := layertest.Run(&Ops[0], layertest.Attributes{"alpha", "1", "beta", "1", "bias", "1", "size", size}, 1,
			layertest.Numbers(t, ir.F64, ir.Shape{1, 3}, 1, 2, 3), layertest.Numbers(t, ir.I64, ir.Shape{1}, 1))
		require.NoError(t, err)
		require.InDeltaSlice(t, want, layertest.Floats(t, out), 1e-9, size)
	}
}

func TestPrepare_errors(t *testing.T) {
	_, err := layertest.Run(&Ops[0], layertest.Attributes{"alpha", "1", "beta", "1", "bias", "1", "size", "1"}, 1,
		layertest.Numbers(t, ir.Boolean, ir.Shape{1, 3}), layertest.Numbers(t, ir.I64, ir.Shape{1}, 1))
	require.EqualError(t, err, "LRN-1 has no kernel for input 0 of type boolean, only for [f32 f64 f16 bf16 i8 i16 i32 i64 u8 u16 u32 u64]")
}
