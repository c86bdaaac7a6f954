package pairwisecoupling

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func classes(n int) layertest.Attributes { return layertest.Attributes{"classes", fmt.Sprint(n)} }

// TestKernel has results of ONNX Runtime: a first guess that is near enough, and ones that are not.
func TestKernel(t *testing.T) {
	pairs := layertest.Numbers(t, ir.F32, ir.Shape{2, 1}, 0.504978, 0.5404745)
	layertest.CheckNear(t, &Ops[0], classes(2), ir.Shape{2, 2}, []float64{0.5, 0.5, 0.540474, 0.459526}, 1e-4, pairs)
}

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Attributes: classes(3), Inputs: []string{"f32[2,3]"}, Want: "f32[2,3]"},
		{Attributes: classes(4), Inputs: []string{"f32[1..2,?]"}, Want: "f32[1..2,4]"},
		{Attributes: classes(4), Inputs: []string{"f32[...]"}, Want: "f32[?,4]"},
		{Attributes: classes(4), Inputs: []string{"f32[2,3]"}, Error: "pairs has shape [2,3], expected rows of 6 elements for 4 classes"},
		{Attributes: classes(4), Inputs: []string{"f32[6]"}, Error: "pairs has shape [6], expected rank 2"},
		{Attributes: classes(4), Inputs: []string{"f64[1,6]"}, Error: "pairs is f64, expected f32"},
		{Attributes: classes(1), Inputs: []string{"f32[2,3]"}, Error: "attribute classes: 1, expected 2 to 4096"},
	})
}

// checkRandom makes the probabilities of pairs of those of classes, which must come out.
func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	n, rows := 2+rng.IntN(5), 1+rng.IntN(3)
	var want, pairs []float64
	for range rows {
		p, total := make([]float64, n), 0.0
		for i := range p {
			p[i] = 0.2 + rng.Float64()
			total += p[i]
		}
		for i := range p {
			want = append(want, p[i]/total)
			for j := i + 1; j < n; j++ {
				pairs = append(pairs, p[i]/(p[i]+p[j]))
			}
		}
	}
	in := layertest.Numbers(t, ir.F32, ir.Shape{rows, n * (n - 1) / 2}, pairs...)
	out, err := layertest.Run(&Ops[0], classes(n), 1, in)
	require.NoError(t, err)
	for i, x := range layertest.Floats(t, out) {
		require.InDelta(t, want[i], x, 0.02, "seed %d", seed)
	}
}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 100, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

// TestKernel_extreme has probabilities that are no ones: there is no error, and an end.
func TestKernel_extreme(t *testing.T) {
	for _, x := range []float64{0, 1, math.NaN(), math.Inf(1), -5} {
		_, err := layertest.Run(&Ops[0], classes(3), 1, layertest.Numbers(t, ir.F32, ir.Shape{1, 3}, x, x, x))
		require.NoError(t, err)
	}
}

func TestKernel_allocations(t *testing.T) {
	layertest.CheckAllocations(t, &Ops[0], classes(8), layertest.Counted(t, ir.F32, 100, 28))
}

func TestKernel_stop(t *testing.T) {
	kernel, r, err := layertest.Prepare(&Ops[0], classes(50), 1, layertest.Counted(t, ir.F32, 100, 50*49/2))
	require.NoError(t, err)
	defer r.Pool.Close()
	done := make(chan struct{})
	close(done)
	r.Stop = done
	assert.Equal(t, parallel.ErrStopped, kernel(r))
}

func BenchmarkLayer(b *testing.B) {
	in, err := ir.NewTensor(ir.F32, 1000, 45)
	require.NoError(b, err)
	for i, data := 0, ir.Data[float32](in); i < len(data); i++ {
		data[i] = float32(i%19+1) / 20
	}
	layertest.Benchmark(b, "ten_classes", &Ops[0], classes(10), in)
}
