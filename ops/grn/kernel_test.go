package grn

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// reference computes the definition, element by element.
func reference(shape ir.Shape, x []float64, bias float64) []float64 {
	out := make([]float64, len(x))
	plane := shape[2:].Elements()
	for i := range x {
		sum := bias
		for c := range shape[1] {
			at := i/(plane*shape[1])*plane*shape[1] + c*plane + i%plane
			sum += x[at] * x[at]
		}
		out[i] = x[i] / math.Sqrt(sum)
	}
	return out
}

// TestKernel_allocations has enough elements for two threads.
func TestKernel_allocations(t *testing.T) {
	for _, elementType := range Ops[0].Types {
		layertest.CheckAllocations(t, &Ops[0], layertest.Attributes{"bias", "1"}, layertest.Numbers(t, elementType, ir.Shape{2, 64, 60, 60}))
	}
}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 100, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	shape := ir.Shape{rng.IntN(4), rng.IntN(9)}
	for range rng.IntN(3) {
		shape = append(shape, rng.IntN(20))
	}
	values := layertest.RandomNumbers(rng, 8, 0.25, shape.Elements())
	want := reference(shape, values, 0.5)
	for elementType, tolerance := range map[ir.ElementType]float64{ir.F64: 1e-13, ir.F32: 1e-6, ir.F16: 2e-3, ir.BF16: 2e-2} {
		layertest.CheckNear(t, &Ops[0], layertest.Attributes{"bias", "0.5"}, shape, want, tolerance, layertest.Numbers(t, elementType, shape, values...))
	}
}
