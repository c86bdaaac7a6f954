package eye

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func attributesOf(t ir.ElementType) layertest.Attributes {
	return layertest.Attributes{"output_type", t.String()}
}

func scalar(t testing.TB, v int64) *ir.Tensor { return layertest.Ints(t, ir.I64, ir.Shape{}, v) }

func TestRandom(t *testing.T) { layertest.CheckSeeds(t, 500, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	rows, columns := rng.IntN(7), rng.IntN(7)
	diagonal := int64(rng.IntN(16) - 8)
	if rng.IntN(10) == 0 {
		diagonal = []int64{math.MinInt64, math.MaxInt64, math.MinInt64 + 1}[rng.IntN(3)]
	}
	inputs := []*ir.Tensor{scalar(t, int64(rows)), scalar(t, int64(columns)), layertest.Ints(t, ir.I64, ir.Shape{1}, diagonal)}
	shape := ir.Shape{}
	if rng.IntN(2) == 0 {
		batch := []int64{}
		for range rng.IntN(3) {
			batch = append(batch, int64(rng.IntN(4)))
			shape = append(shape, int(batch[len(batch)-1]))
		}
		inputs = append(inputs, layertest.Ints(t, ir.I64, ir.Shape{len(batch)}, batch...))
	}
	shape = append(shape, rows, columns)
	want := make([]float64, shape.Elements())
	for i := range want {
		if row, column := int64(i/columns%rows), int64(i%columns); column-row == diagonal {
			want[i] = 1
		}
	}
	layertest.CheckNear(t, &Ops[0], attributesOf(types[rng.IntN(len(types))]), shape, want, 0, inputs...)
}

// TestLarge has enough elements for three threads.
func TestLarge(t *testing.T) {
	const n = 500
	want := make([]float64, 2*n*n)
	for b := range 2 {
		for row := 1; row < n; row++ {
			want[b*n*n+row*n+row-1] = 1
		}
	}
	layertest.CheckNear(t, &Ops[0], attributesOf(ir.BF16), ir.Shape{2, n, n}, want, 0, scalar(t, n), scalar(t, n), scalar(t, -1), layertest.Ints(t, ir.I64, ir.Shape{1}, 2))
}

func TestTypeNotComputed(t *testing.T) {
	_, err := layertest.Run(&Ops[0], attributesOf(ir.U4), 1, scalar(t, 2), scalar(t, 2), scalar(t, 0))
	require.ErrorContains(t, err, "Eye-9 has no kernel for output 0 of type u4, only for [f32 ")
}

func TestKernel_allocations(t *testing.T) {
	layertest.CheckAllocations(t, &Ops[0], attributesOf(ir.F32), scalar(t, 300), scalar(t, 500), scalar(t, 3))
}
