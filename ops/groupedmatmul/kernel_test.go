package groupedmatmul

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 60, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

// checkRandom compares random layers with the definition. Small whole numbers give exact sums.
func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 3))
	groups, columns, depth := 1+rng.IntN(5), 1+rng.IntN(40), rng.IntN(30)
	if rng.IntN(8) == 0 {
		columns, depth = 1+rng.IntN(300), rng.IntN(500)
	}
	starts := []int{0}
	each, three := rng.IntN(30), rng.IntN(2) == 0
	for range groups {
		if !three {
			each = rng.IntN(30)
		}
		starts = append(starts, starts[len(starts)-1]+each)
	}
	rows := starts[groups]
	if !three {
		rows += rng.IntN(3)
	}
	whole := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(rng.IntN(3) - 1)
		}
		return x
	}
	a, b := whole(rows*depth), whole(groups*columns*depth)
	want := make([]float64, rows*columns)
	for g := range groups {
		for row := starts[g]; row < starts[g+1]; row++ {
			for c := range columns {
				for k := range depth {
					want[row*columns+c] += a[row*depth+k] * b[(g*columns+c)*depth+k]
				}
			}
		}
	}
	shapeA, shapeB, shape := ir.Shape{rows, depth}, ir.Shape{groups, columns, depth}, ir.Shape{rows, columns}
	if three {
		shapeA, shape = ir.Shape{groups, each, depth}, ir.Shape{groups, each, columns}
	}
	for _, elementType := range Ops[0].Types {
		in := []*ir.Tensor{layertest.Numbers(t, elementType, shapeA, a...), layertest.Numbers(t, elementType, shapeB, b...)}
		if !three {
			ends := make([]float64, groups)
			for g := range ends {
				ends[g] = float64(starts[g+1])
			}
			in = append(in, layertest.Numbers(t, []ir.ElementType{ir.I32, ir.I64}[rng.IntN(2)], ir.Shape{groups}, ends...))
		}
		tolerance := 0.0
		if elementType == ir.BF16 {
			tolerance = 1 // bf16 has integers up to 256
		}
		layertest.CheckNear(t, &Ops[0], nil, shape, want, tolerance, in...)
	}
}

func TestKernel_errors(t *testing.T) {
	a, b := layertest.Counted(t, ir.F32, 6, 2), layertest.Counted(t, ir.F32, 3, 4, 2)
	for _, c := range []struct {
		offsets []float64
		want    string
	}{
		{[]float64{2, 3, 7}, "offsets[2] is 7, expected 3, where the group starts, to 6, the rows of mat_a"},
		{[]float64{3, 2, 6}, "offsets[1] is 2, expected 3"},
		{[]float64{-1, 2, 6}, "offsets[0] is -1, expected 0"},
		{[]float64{2, 6}, "offsets has 2 elements, mat_b has 3 groups"},
	} {
		for _, elementType := range []ir.ElementType{ir.I32, ir.I64} {
			_, err := layertest.Run(&Ops[0], nil, 1, a, b, layertest.Numbers(t, elementType, ir.Shape{len(c.offsets)}, c.offsets...))
			require.ErrorContains(t, err, c.want)
		}
	}
}

// TestKernel_allocations has groups of few and of many rows, and enough work for two threads.
func TestKernel_allocations(t *testing.T) {
	for _, elementType := range Ops[0].Types {
		ends := layertest.Numbers(t, ir.I64, ir.Shape{3}, 2, 40, 100)
		layertest.CheckAllocations(t, &Ops[0], nil, layertest.Counted(t, elementType, 100, 64), layertest.Counted(t, elementType, 3, 300, 64), ends)
	}
}
