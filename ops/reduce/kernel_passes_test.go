package reduce

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func TestPasses(t *testing.T) { layertest.CheckSeeds(t, 40, checkPasses) }

func FuzzPasses(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkPasses)
}

// checkPasses compares float32 reductions with the reference, and reductions with stages with
// those without.
func checkPasses(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 4))
	shape := make(ir.Shape, rng.IntN(6))
	for i := range shape {
		shape[i] = 1 + rng.IntN(7)
	}
	if len(shape) > 0 && rng.IntN(3) == 0 { // a length with chunks and tiles
		long := rng.IntN(len(shape))
		for i := range shape {
			shape[i] = 1 + rng.IntN(2)
		}
		shape[long] = 3000 + rng.IntN(3000)
	}
	set, axes := make([]bool, len(shape)), []int64{}
	for i := range shape {
		if set[i] = rng.IntN(2) == 0; set[i] {
			axes = append(axes, int64(i))
		}
	}
	data := make([]float64, shape.Elements())
	for i := range data {
		data[i] = float64(float32(rng.NormFloat64()))
	}
	tensor, axesTensor := layertest.Numbers(t, ir.F32, shape, data...), layertest.Ints(t, ir.I64, ir.Shape{len(axes)}, axes...)
	for i := range Ops {
		op := &Ops[i]
		if op.Attributes == nil || op.Types[0] == ir.Boolean {
			continue
		}
		want := reference(op.Type, data, shape, set)
		layertest.CheckRuns(t, op, nil, []*ir.Tensor{tensor, axesTensor}, func(r layertest.Result) {
			require.NoError(t, r.Err, r.Layer)
			for j, got := range layertest.Floats(t, r.Output) {
				if d := math.Abs(want[j] - got); !(d <= 2e-4*(1+math.Abs(want[j]))) {
					t.Fatalf("%s: element %d: %v, want %v", r.Layer, j, got, want[j])
				}
			}
		})
		layertest.CheckStages(t, op, nil, 1+rng.IntN(3), tensor, axesTensor)
	}
}

// TestPasses_threads checks that the number of threads does not change any bit of the result.
func TestPasses_threads(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	data := make([]float64, 300*400)
	for i := range data {
		data[i] = float64(float32(rng.NormFloat64()))
	}
	for _, shape := range []ir.Shape{{300 * 400}, {300, 400}, {3000, 40}, {40, 3000}} {
		for axis := range shape {
			set := make([]bool, len(shape))
			set[axis] = true
			want := reference("ReduceSum", data, shape, set)
			var first []float64
			for threads := range 4 {
				out, err := layertest.Run(layertest.FindType(t, Ops, "ReduceSum-1"), nil, threads+1,
					layertest.Numbers(t, ir.F32, shape, data...), layertest.Ints(t, ir.I64, ir.Shape{1}, int64(axis)))
				require.NoError(t, err)
				got := layertest.Floats(t, out)
				require.InDeltaSlice(t, want, got, 1e-2, "%v along %d", shape, axis)
				if threads == 0 {
					first = got
				}
				require.Equal(t, first, got, "%v along %d on %d threads", shape, axis, threads+1)
			}
		}
	}
}

// TestPasses_long has lengths that need several passes.
func TestPasses_long(t *testing.T) {
	for _, n := range []int{1, 4096, 4097, 1 << 24, 1<<24 + 1, 1<<28 + 7} {
		for _, w := range []walk{{run: n, runReduced: true}, {run: 3, lengths: []int{n}, strides: []int{0}}} {
			left := n
			for _, p := range newPasses(sum, &w) {
				require.Equal(t, left, p.count)
				left = p.chunks
			}
			require.Equal(t, 1, left, "%d elements", n)
		}
	}
}

func TestPasses_emptyStages(t *testing.T) {
	for _, shape := range []ir.Shape{{0, 3}, {3, 0}} {
		layertest.CheckStages(t, layertest.FindType(t, Ops, "ReduceSum-1"), nil, 2,
			layertest.Numbers(t, ir.F32, shape), layertest.Ints(t, ir.I64, ir.Shape{1}, 0))
	}
}

func TestPasses_NaN(t *testing.T) {
	data := layertest.Numbers(t, ir.F32, ir.Shape{2, 3}, 1, math.NaN(), 3, 4, 5, 6)
	for axis, want := range [][]bool{{false, true, false}, {true, false}} {
		for _, name := range []string{"ReduceMax-1", "ReduceMin-1", "ReduceSum-1"} {
			out, err := layertest.Run(layertest.FindType(t, Ops, name), nil, 1, data, layertest.Ints(t, ir.I64, ir.Shape{1}, int64(axis)))
			require.NoError(t, err)
			for i, v := range layertest.Floats(t, out) {
				require.Equal(t, want[i], math.IsNaN(v), "%s along %d, element %d", name, axis, i)
			}
		}
	}
}
