package groupnorm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// reference computes the definition, element by element.
func reference(shape ir.Shape, x, scale, bias []float64, groups int, epsilon float64) []float64 {
	out := make([]float64, len(x))
	plane := shape[2:].Elements()
	n := shape[1] / groups * plane // of a group
	for i := range x {
		first := i / n * n
		mean, variance := 0.0, 0.0
		for _, v := range x[first : first+n] {
			mean += v / float64(n)
		}
		for _, v := range x[first : first+n] {
			variance += (v - mean) * (v - mean) / float64(n)
		}
		c := i / plane % shape[1]
		out[i] = (x[i]-mean)/math.Sqrt(variance+epsilon)*scale[c] + bias[c]
	}
	return out
}

var tolerances = map[ir.ElementType]float64{ir.F64: 1e-12, ir.F32: 5e-5, ir.F16: 5e-2, ir.BF16: 0.3}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 100, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Add(uint64(744)) // more elements than the reference handles
	f.Fuzz(checkRandom)
}

func numbers(rng *rand.Rand, n int) []float64 { return layertest.RandomNumbers(rng, 8, 0.25, n) }

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	groups := 1 + rng.IntN(4)
	shape := ir.Shape{rng.IntN(4), groups * (1 + rng.IntN(3))}
	for range rng.IntN(4) {
		shape = append(shape, rng.IntN(6))
	}
	if rng.IntN(4) == 0 {
		shape = ir.Shape{2, shape[1], 1500}
	}
	checkShape(t, rng, shape, groups)
}

func checkShape(t *testing.T, rng *rand.Rand, shape ir.Shape, groups int) {
	x, scale, bias := numbers(rng, shape.Elements()), numbers(rng, shape[1]), numbers(rng, shape[1])
	if len(x) > 2000 {
		for i := range x {
			x[i] = 1 // the reference would take too long for random numbers
		}
	}
	var want []float64
	if len(x) <= 2000 {
		want = reference(shape, x, scale, bias, groups, 0.5)
	} else {
		for i := range x {
			want = append(want, bias[i/shape[2:].Elements()%shape[1]])
		}
	}
	vector := ir.Shape{shape[1]}
	for elementType, tolerance := range tolerances {
		layertest.CheckNear(t, &Ops[0], layertest.Attributes{"num_groups", fmt.Sprint(groups), "epsilon", "0.5"}, shape, want, tolerance,
			layertest.Numbers(t, elementType, shape, x...), layertest.Numbers(t, elementType, vector, scale...),
			layertest.Numbers(t, elementType, vector, bias...))
	}
}

// TestKernel_ofOne has groups of one element, which is its own mean.
func TestKernel_ofOne(t *testing.T) {
	checkShape(t, rand.New(rand.NewPCG(1, 2)), ir.Shape{3, 4}, 4)
	checkShape(t, rand.New(rand.NewPCG(1, 2)), ir.Shape{1, 1}, 1)
}

func TestKernel_stages(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, shape := range []ir.Shape{{3, 4}, {2, 4, 5}, {1, 4, 30, 300}, {0, 4, 2}} {
		for _, groups := range []string{"1", "2", "4"} {
			vector := ir.Shape{shape[1]}
			layertest.CheckStages(t, &Ops[0], layertest.Attributes{"num_groups", groups, "epsilon", "0.5"}, 1+rng.IntN(3),
				layertest.Numbers(t, ir.F32, shape, numbers(rng, shape.Elements())...),
				layertest.Numbers(t, ir.F32, vector, numbers(rng, 4)...), layertest.Numbers(t, ir.F32, vector, numbers(rng, 4)...))
		}
	}
}

func TestPrepare_errors(t *testing.T) {
	_, err := layertest.Run(&Ops[0], layertest.Attributes{"num_groups", "1", "epsilon", "1"}, 1, layertest.Numbers(t, ir.F32, ir.Shape{1, 2}),
		layertest.Numbers(t, ir.F16, ir.Shape{2}), layertest.Numbers(t, ir.F32, ir.Shape{2}))
	require.EqualError(t, err, "scale is f16, data is f32")
}
