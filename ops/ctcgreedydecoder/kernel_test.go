package ctcgreedydecoder

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/ctc"
)

// reference decodes item by item.
func reference(shape ir.Shape, data, mask []float64, merge bool) []float64 {
	steps, batch, classes := shape[0], shape[1], shape[2]
	out := make([]float64, 0, steps*batch)
	for b := range batch {
		var decoded, path []float64
		for t := 0; t < steps && mask[t*batch+b] != 0; t++ {
			row := data[(t*batch+b)*classes:][:classes]
			best := 0
			for c := range row {
				if row[c] > row[best] {
					best = c
				}
			}
			path = append(path, float64(best))
		}
		for t, class := range path {
			repeated := t > 0 && path[t-1] == class
			if int(class) != classes-1 && !(merge && repeated) {
				decoded = append(decoded, class)
			}
		}
		for len(decoded) < steps {
			decoded = append(decoded, -1)
		}
		out = append(out, decoded...)
	}
	return out
}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 200, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	compare(t, rng, ir.Shape{rng.IntN(9), rng.IntN(5), 1 + rng.IntN(4)})
}

func compare(t *testing.T, rng *rand.Rand, shape ir.Shape) {
	data := layertest.RandomNumbers(rng, 3, 0.5, shape.Elements())
	mask := make([]float64, shape[0]*shape[1])
	for i := range mask {
		mask[i] = float64(min(rng.IntN(9), 1))
	}
	merge := rng.IntN(2) == 0
	want := reference(shape, data, mask, merge)
	for _, elementType := range ctc.Types {
		maskType := maskTypes[rng.IntN(len(maskTypes))]
		layertest.CheckNear(t, &Ops[0], layertest.Attributes{"ctc_merge_repeated", fmt.Sprint(merge)},
			ir.Shape{shape[1], shape[0], 1, 1}, want, 0,
			layertest.Numbers(t, elementType, shape, data...), layertest.Numbers(t, maskType, shape[:2], mask...))
	}
}

// TestLarge has enough steps and items for two threads.
func TestLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	compare(t, rng, ir.Shape{60, 700, 5})
}

// TestBorders has results of OpenVINO.
func TestBorders(t *testing.T) {
	nan := math.NaN()
	data := []float64{1, 1, 0, 0, nan, 2, nan, 5, 0, 0, 3, 3}
	for _, c := range []struct{ mask, want []float64 }{
		{[]float64{1, 1, 1, 1}, []float64{0, 0, 1, -1}},
		{[]float64{1, nan, 0, 1}, []float64{0, -1, -1, -1}},
		{[]float64{-1, math.Copysign(0, -1), 1, 1}, []float64{0, -1, -1, -1}},
	} {
		for _, elementType := range ctc.Types {
			layertest.CheckNear(t, &Ops[0], nil, ir.Shape{1, 4, 1, 1}, c.want, 0,
				layertest.Numbers(t, elementType, ir.Shape{4, 1, 3}, data...), layertest.Numbers(t, elementType, ir.Shape{4, 1}, c.mask...))
		}
	}
}

func TestErrors(t *testing.T) {
	_, err := layertest.Run(&Ops[0], nil, 1, layertest.Numbers(t, ir.F32, ir.Shape{2, 1, 0}), layertest.Numbers(t, ir.F32, ir.Shape{2, 1}))
	assert.ErrorContains(t, err, "data has shape [2,1,0]: there are no classes")
	_, err = layertest.Run(&Ops[0], nil, 1, layertest.Numbers(t, ir.F32, ir.Shape{2, 1, 3}), layertest.Counted(t, ir.String, 2, 1))
	assert.ErrorContains(t, err, "CTCGreedyDecoder-1 has no kernel for input 1 of type string")
	_, err = layertest.Run(&Ops[0], nil, 1, layertest.Numbers(t, ir.I32, ir.Shape{2, 1, 3}), layertest.Numbers(t, ir.F32, ir.Shape{2, 1}))
	assert.ErrorContains(t, err, "CTCGreedyDecoder-1 has no kernel for input 0 of type i32")
}

// TestKernel_allocations has enough steps for two threads.
func TestKernel_allocations(t *testing.T) {
	for _, elementType := range ctc.Types {
		layertest.CheckAllocations(t, &Ops[0], nil, layertest.Numbers(t, elementType, ir.Shape{60, 40, 50}), layertest.Numbers(t, elementType, ir.Shape{60, 40}))
	}
}
