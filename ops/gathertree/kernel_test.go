package gathertree

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// reference follows each beam on its own.
func reference(shape ir.Shape, steps, parents []float64, lengths []float64, end float64) []float64 {
	out := make([]float64, len(steps))
	for i := range out {
		out[i] = end
	}
	at := func(t, b, k int) int { return (t*shape[1]+b)*shape[2] + k }
	for b := range shape[1] {
		for k := range shape[2] {
			beam := k
			last := min(int(lengths[b]), shape[0]) - 1
			for t := last; t >= 0; t-- {
				out[at(t, b, k)] = steps[at(t, b, beam)]
				beam = int(parents[at(t, b, beam)])
			}
			for t := 1; t <= last; t++ {
				if out[at(t-1, b, k)] == end {
					out[at(t, b, k)] = end
				}
			}
		}
	}
	return out
}

func compare(t *testing.T, shape ir.Shape, steps, parents, lengths []float64, end float64) {
	t.Helper()
	want := reference(shape, steps, parents, lengths, end)
	for _, elementType := range Ops[0].Types {
		layertest.CheckNear(t, &Ops[0], nil, shape, want, 0, layertest.Numbers(t, elementType, shape, steps...),
			layertest.Numbers(t, elementType, shape, parents...), layertest.Numbers(t, elementType, ir.Shape{shape[1]}, lengths...), layertest.Numbers(t, elementType, nil, end))
	}
}

func TestKernelAgainstReference(t *testing.T) {
	for seed := range uint64(150) {
		checkRandom(t, seed)
	}
}

// FuzzKernel follows random beams.
func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	shape := ir.Shape{rng.IntN(9), rng.IntN(4), rng.IntN(6)}
	steps, parents, lengths := make([]float64, shape.Elements()), make([]float64, shape.Elements()), make([]float64, shape[1])
	for i := range steps {
		steps[i], parents[i] = float64(rng.IntN(12)), float64(rng.IntN(shape[2]))
	}
	for i := range lengths {
		lengths[i] = float64(rng.IntN(shape[0] + 3))
	}
	compare(t, shape, steps, parents, lengths, float64(rng.IntN(12)))
}

// TestLarge has enough work for several threads, and several blocks of beams.
func TestLarge(t *testing.T) {
	checkLarge(t, ir.Shape{50, 60, 8})
	checkLarge(t, ir.Shape{5, 2, 9000})
}

func checkLarge(t *testing.T, shape ir.Shape) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	steps, parents, lengths := make([]float64, shape.Elements()), make([]float64, shape.Elements()), make([]float64, shape[1])
	for i := range steps {
		steps[i], parents[i] = float64(rng.IntN(100)), float64(rng.IntN(min(shape[2], 120)))
	}
	for i := range lengths {
		lengths[i] = float64(rng.IntN(60))
	}
	compare(t, shape, steps, parents, lengths, 7)
}

// TestKernel_borders has results of OpenVINO, except that OpenVINO leaves memory as it is for a
// length below 1.
func TestKernel_borders(t *testing.T) {
	shape := ir.Shape{3, 1, 2}
	steps := layertest.Numbers(t, ir.F32, shape, 1, 2, 3, 4, 5, 6)
	for _, c := range []struct {
		parents     []float64
		length, end float64
		want        []float64
		err         string
	}{
		{[]float64{0, 0, 1, 0, 1, 0}, 3, 9, []float64{1, 2, 4, 3, 5, 6}, ""},
		{[]float64{0, 0, 1, 0, 1, 0}, 3, 2, []float64{1, 2, 4, 2, 5, 2}, ""},
		{[]float64{0, 0, 1, 0, 1, 0}, 2, 9, []float64{2, 1, 3, 4, 9, 9}, ""},
		{[]float64{0, 0, 1, 0, 1, 0}, 5, 9, []float64{1, 2, 4, 3, 5, 6}, ""},
		{[]float64{0, 0, 1, 0, 1, 0}, -1, 9, []float64{9, 9, 9, 9, 9, 9}, ""},
		{[]float64{0, 0, 1, 0, 1, 0}, math.NaN(), 9, []float64{9, 9, 9, 9, 9, 9}, ""},
		{[]float64{7, -7, 1, 0, 1, 0}, math.Inf(1), 9, []float64{1, 2, 4, 3, 5, 6}, ""},
		{[]float64{0, 0, 1.7, .5, 1.9, .2}, 2.7, 9, []float64{2, 1, 3, 4, 9, 9}, ""},
		{[]float64{0, 0, 1, 0, 7, 0}, 2, 9, []float64{2, 1, 3, 4, 9, 9}, ""},
		{[]float64{0, 0, 1, 0, 7, 0}, 3, 9, nil, "parent_idx[2,0,0] is 7, step_ids has 2 beams"},
		{[]float64{0, 0, -1, 0, 1, 0}, 3, 9, nil, "parent_idx[1,0,0] is -1, step_ids has 2 beams"},
		{[]float64{0, 0, 1, math.NaN(), 1, 0}, 3, 9, nil, "parent_idx[1,0,1] is NaN, step_ids has 2 beams"},
	} {
		for _, elementType := range []ir.ElementType{ir.F32, ir.F16} {
			got, err := layertest.Run(&Ops[0], nil, 1, layertest.Numbers(t, elementType, shape, layertest.Floats(t, steps)...), layertest.Numbers(t, elementType, shape, c.parents...),
				layertest.Numbers(t, elementType, ir.Shape{1}, c.length), layertest.Numbers(t, elementType, nil, c.end))
			if c.err != "" {
				require.EqualError(t, err, c.err)
				continue
			}
			require.NoError(t, err)
			require.Equal(t, c.want, layertest.Floats(t, got))
		}
	}
}

func TestKernel_allocations(t *testing.T) {
	shape := ir.Shape{100, 100, 8}
	for _, elementType := range Ops[0].Types {
		layertest.CheckAllocations(t, &Ops[0], nil, layertest.Numbers(t, elementType, shape), layertest.Numbers(t, elementType, shape),
			layertest.Numbers(t, elementType, ir.Shape{100}), layertest.Numbers(t, elementType, nil))
	}
}
