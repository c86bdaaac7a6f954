package experimentaldetectronpriorgridgenerator

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/floats"
)

// reference computes the definition, number by number.
func reference(priors []float64, height, width int, strideX, strideY float64) []float64 {
	out := make([]float64, height*width*len(priors))
	for i := range out {
		point, k := i/len(priors), i%len(priors)
		if k%2 == 0 {
			out[i] = priors[k] + (float64(point%width)+0.5)*strideX
		} else {
			out[i] = priors[k] + (float64(point/width)+0.5)*strideY
		}
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
	compare(t, rng, tolerances, rng.IntN(4), rng.IntN(6), rng.IntN(6))
}

var tolerances = map[ir.ElementType]float64{ir.F64: 1e-12, ir.F32: 1e-4, ir.F16: 0.2, ir.BF16: 2}

func compare(t *testing.T, rng *rand.Rand, tolerances map[ir.ElementType]float64, priors, height, width int) {
	strideX, strideY := float64(rng.IntN(3))/2, float64(rng.IntN(3))*4
	imageHeight, imageWidth := 1+rng.IntN(20), 1+rng.IntN(20)
	flatten := rng.IntN(2) == 0
	at := layertest.Attributes{
		"flatten", fmt.Sprint(flatten), "stride_x", fmt.Sprint(strideX), "stride_y", fmt.Sprint(strideY),
		"h", fmt.Sprint(height * rng.IntN(2)), "w", fmt.Sprint(width * rng.IntN(2)),
	}
	if strideX == 0 {
		strideX = float64(imageWidth) / float64(width)
	}
	if strideY == 0 {
		strideY = float64(imageHeight) / float64(height)
	}
	values := layertest.RandomNumbers(rng, 30, 0.5, 4*priors)
	want := reference(values, height, width, strideX, strideY)
	shape := ir.Shape{height, width, priors, 4}
	if flatten {
		shape = ir.Shape{height * width * priors, 4}
	}
	for elementType, tolerance := range tolerances {
		layertest.CheckNear(t, &Ops[0], at, shape, want, tolerance, layertest.Numbers(t, elementType, ir.Shape{priors, 4}, values...),
			layertest.Numbers(t, elementType, ir.Shape{1, 1, height, width}), layertest.Numbers(t, elementType, ir.Shape{1, 1, imageHeight, imageWidth}))
	}
}

// TestLarge has enough boxes for two threads, and rows longer than are computed at a time.
func TestLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	compare(t, rng, tolerances, 5, 63, 71)
	compare(t, rng, map[ir.ElementType]float64{ir.F64: 1e-10, ir.F32: 0.05}, 1, 3, pieceLength/2+7)
	compare(t, rng, tolerances, pieceLength/3, 2, 1)
}

func TestErrors(t *testing.T) {
	for _, at := range []layertest.Attributes{{"h", "3"}, {"w", "5"}, {"h", "-4"}} {
		_, err := layertest.Run(&Ops[0], at, 1, layertest.Numbers(t, ir.F32, ir.Shape{1, 4}),
			layertest.Numbers(t, ir.F32, ir.Shape{1, 1, 4, 6}), layertest.Numbers(t, ir.F32, ir.Shape{1, 1, 40, 60}))
		assert.ErrorContains(t, err, "feature_map has shape [1,1,4,6]")
	}
}

func TestKernel_allocations(t *testing.T) {
	for _, elementType := range floats.Types {
		layertest.CheckAllocations(t, &Ops[0], layertest.Attributes{"flatten", "true"}, layertest.Numbers(t, elementType, ir.Shape{3, 4}),
			layertest.Numbers(t, elementType, ir.Shape{1, 1, 90, 80}), layertest.Numbers(t, elementType, ir.Shape{1, 1, 180, 160}))
	}
}
