package searchsorted

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func attributesOf(right bool, outputType string) layertest.Attributes {
	return layertest.Attributes{"right_mode", strconv.FormatBool(right), "output_type", outputType}
}

// reference counts all elements of the sequence for each value.
func reference(sorted, values []float64, length, row int, right bool) []float64 {
	want := make([]float64, len(values))
	for i, v := range values {
		sequence := sorted
		if row > 0 {
			sequence = sorted[i/row*length:][:length]
		}
		for _, s := range sequence {
			if s < v || right && s == v {
				want[i]++
			}
		}
	}
	return want
}

func TestRandom(t *testing.T) { layertest.CheckSeeds(t, 500, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	shape := make(ir.Shape, rng.IntN(4))
	for i := range shape {
		shape[i] = rng.IntN(6)
	}
	length, row := rng.IntN(9), 0
	sortedShape := ir.Shape{length}
	if len(shape) > 1 && rng.IntN(2) == 0 {
		sortedShape = append(slices.Clone(shape[:len(shape)-1]), length)
		row = max(shape[len(shape)-1], 1)
	}
	elementType := types[rng.IntN(len(types))]
	checkShapes(t, rng, elementType, sortedShape, shape, row)
}

func checkShapes(t *testing.T, rng *rand.Rand, elementType ir.ElementType, sortedShape, shape ir.Shape, row int) {
	t.Helper()
	length := sortedShape[len(sortedShape)-1]
	lo := 0
	if elementType.IsFloat() || elementType.Kind() == ir.KindSigned {
		lo = -5
	}
	sorted := make([]float64, sortedShape.Elements())
	for i := range sorted {
		sorted[i] = float64(lo + rng.IntN(10))
	}
	for at := 0; length > 0 && at < len(sorted); at += length {
		slices.Sort(sorted[at:][:length])
	}
	values := make([]float64, shape.Elements())
	for i := range values {
		if values[i] = float64(lo + rng.IntN(12)); elementType.IsFloat() && rng.IntN(8) == 0 {
			values[i] = []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1)}[rng.IntN(4)]
		}
	}
	right := rng.IntN(2) == 0
	layertest.CheckNear(t, &Ops[0], attributesOf(right, []string{"i32", "i64"}[rng.IntN(2)]), shape, reference(sorted, values, length, row, right), 0,
		layertest.Numbers(t, elementType, sortedShape, sorted...), layertest.Numbers(t, elementType, shape, values...))
}

// TestLarge has several pieces, rows and threads.
func TestLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, elementType := range []ir.ElementType{ir.F32, ir.F16, ir.I64} {
		checkShapes(t, rng, elementType, ir.Shape{50}, ir.Shape{7, 3000}, 0)
		checkShapes(t, rng, elementType, ir.Shape{7, 50}, ir.Shape{7, 3000}, 3000)
		checkShapes(t, rng, elementType, ir.Shape{5000, 3}, ir.Shape{5000, 4}, 4)
	}
}

func TestExtremes(t *testing.T) {
	sorted := layertest.Ints(t, ir.I64, ir.Shape{3}, math.MinInt64, math.MaxInt64-1, math.MaxInt64)
	got, err := layertest.Run(&Ops[0], attributesOf(false, "i64"), 1, sorted, sorted)
	require.NoError(t, err)
	assert.Equal(t, []int64{0, 1, 2}, ir.Data[int64](got))
}

func TestTypeNotComputed(t *testing.T) {
	_, err := layertest.Run(&Ops[0], nil, 1, layertest.Counted(t, ir.String, 2), layertest.Counted(t, ir.String, 2))
	assert.ErrorContains(t, err, "SearchSorted-15 has no kernel for input 0 of type string")
}

func TestKernel_allocations(t *testing.T) {
	for _, elementType := range types {
		layertest.CheckAllocations(t, &Ops[0], nil, layertest.Numbers(t, elementType, ir.Shape{4, 20}), layertest.Numbers(t, elementType, ir.Shape{4, 5000}))
	}
}
