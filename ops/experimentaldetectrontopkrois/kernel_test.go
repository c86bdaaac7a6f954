package experimentaldetectrontopkrois

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/floats"
)

// reference selects the rows one by one.
func reference(rois, probabilities []float64, n int) []float64 {
	order := make([]int, len(probabilities))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(probabilities[b], probabilities[a]) })
	out := make([]float64, 4*n)
	for i := range min(n, len(order)) {
		copy(out[4*i:], rois[4*order[i]:4*order[i]+4])
	}
	return out
}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 100, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	compare(t, rng, rng.IntN(20), rng.IntN(30))
}

func compare(t *testing.T, rng *rand.Rand, regions, n int) {
	rois, probabilities := layertest.RandomNumbers(rng, 100, 0.5, 4*regions), layertest.RandomNumbers(rng, 30, 0.25, regions)
	for i := range probabilities {
		if rng.IntN(9) == 0 {
			probabilities[i] = math.NaN()
		}
	}
	want := reference(rois, probabilities, n)
	for _, elementType := range floats.Types {
		layertest.CheckNear(t, &Ops[0], layertest.Attributes{"max_rois", fmt.Sprint(n)}, ir.Shape{n, 4}, want, 0,
			layertest.Numbers(t, elementType, ir.Shape{regions, 4}, rois...), layertest.Numbers(t, elementType, ir.Shape{regions}, probabilities...))
	}
}

// TestLarge has enough regions to sort them by digits, and to check the Stop.
func TestLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	compare(t, rng, 4800, 1000)
	compare(t, rng, 2*rowsPerCheck, 2*rowsPerCheck+3)
}

func TestErrors(t *testing.T) {
	_, err := layertest.Run(&Ops[0], layertest.Attributes{"max_rois", "-1"}, 1, layertest.Numbers(t, ir.F32, ir.Shape{2, 4}), layertest.Numbers(t, ir.F32, ir.Shape{2}))
	assert.ErrorContains(t, err, "max_rois is -1: ")
}

func TestKernel_allocations(t *testing.T) {
	for _, elementType := range floats.Types {
		layertest.CheckAllocations(t, &Ops[0], layertest.Attributes{"max_rois", "300"},
			layertest.Numbers(t, elementType, ir.Shape{900, 4}), layertest.Numbers(t, elementType, ir.Shape{900}))
	}
}
