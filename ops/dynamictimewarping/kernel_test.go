package dynamictimewarping

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

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Inputs: []string{"f32[4,6]"}, Want: "i32[2,6..9]"},
		{Inputs: []string{"f32[1,6]"}, Want: "i32[2,6]"},
		{Inputs: []string{"f32[?,6]"}, Want: "i32[2,?]"},
		{Inputs: []string{"f32[1..3,6]"}, Want: "i32[2,6..8]"},
		{Inputs: []string{"dynamic[...]"}, Want: "i32[2,?]"},
		{Inputs: []string{"f32[0,6]"}, Error: "data has shape [0,6], expected at least one element"},
		{Inputs: []string{"f32[6]"}, Error: "data has shape [6], expected rank 2"},
		{Inputs: []string{"f64[2,6]"}, Error: "data is f64, expected f32"},
	})
}

// TestKernel has a result of ONNX Runtime, and steps of equal cost.
func TestKernel(t *testing.T) {
	for _, c := range []struct {
		data          []float64
		rows, columns []int32
	}{
		{[]float64{
			-0.3271535, -2.16745, 0.80742794, -0.14066575, -0.62552345, -1.5411762,
			3.1931698, 0.98348653, -1.5530586, 0.84686345, -0.7476854, -1.5489427,
			1.190493, 0.53965914, 0.66034144, 0.10359784, -0.73420364, -0.4273141,
			1.1749022, 0.99977624, -0.4030678, 1.1211331, -0.75657666, 0.94041765,
		}, []int32{0, 0, 0, 0, 0, 0, 1, 2, 3}, []int32{0, 1, 2, 3, 4, 5, 5, 5, 5}},
		{[]float64{1, 1, 1, 1, 1, 1}, []int32{0, 1, 2, 2}, []int32{0, 0, 0, 1}},
		{[]float64{5}, []int32{0}, []int32{0}},
		{[]float64{math.NaN(), math.Inf(1), 1, 2}, []int32{0, 1, 1}, []int32{0, 0, 1}},
	} {
		shape := map[int]ir.Shape{24: {4, 6}, 6: {3, 2}, 1: {1, 1}, 4: {2, 2}}[len(c.data)]
		out, err := layertest.Run(&Ops[0], nil, 1, layertest.Numbers(t, ir.F32, shape, c.data...))
		require.NoError(t, err)
		assert.Equal(t, append(c.rows, c.columns...), ir.Data[int32](out), "%v", shape)
	}
}

// cheapest returns the cost of the cheapest way to an element, computed by its definition.
func cheapest(data []float32, columns, i, j int) float64 {
	before := math.Inf(1)
	for _, from := range [][2]int{{i - 1, j - 1}, {i - 1, j}, {i, j - 1}} {
		if from[0] >= 0 && from[1] >= 0 {
			before = min(before, cheapest(data, columns, from[0], from[1]))
		}
	}
	if i == 0 && j == 0 {
		before = 0
	}
	return before + float64(data[i*columns+j])
}

// checkRandom checks that the way has only allowed steps, and the cost of the cheapest one.
func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 5))
	rows, columns := 1+rng.IntN(6), 1+rng.IntN(6)
	in, err := ir.NewTensor(ir.F32, rows, columns)
	require.NoError(t, err)
	data := ir.Data[float32](in)
	for i := range data {
		data[i] = rng.Float32()
	}
	out, err := layertest.Run(&Ops[0], nil, 1, in)
	require.NoError(t, err)
	n := out.Shape()[1]
	way, cost := ir.Data[int32](out), 0.0
	for k := range n {
		i, j := int(way[k]), int(way[n+k])
		cost += float64(data[i*columns+j])
		if k > 0 {
			down, across := i-int(way[k-1]), j-int(way[n+k-1])
			require.True(t, down >= 0 && down <= 1 && across >= 0 && across <= 1 && down+across > 0, "seed %d", seed)
		}
	}
	require.Equal(t, []int32{0, 0, int32(rows - 1), int32(columns - 1)}, []int32{way[0], way[n], way[n-1], way[2*n-1]}, "seed %d", seed)
	require.InDelta(t, cheapest(data, columns, rows-1, columns-1), cost, 1e-4, "seed %d", seed)
}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 50, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func TestKernel_empty(t *testing.T) {
	_, err := layertest.Run(&Ops[0], nil, 1, layertest.Counted(t, ir.F32, 0, 3))
	assert.ErrorContains(t, err, "expected at least one element")
}

func TestKernel_allocations(t *testing.T) {
	layertest.CheckAllocations(t, &Ops[0], nil, layertest.Counted(t, ir.F32, 1, 100))
}

func TestKernel_stop(t *testing.T) {
	kernel, r, err := layertest.Prepare(&Ops[0], nil, 1, layertest.Counted(t, ir.F32, 1000, 1000))
	require.NoError(t, err)
	defer r.Pool.Close()
	done := make(chan struct{})
	close(done)
	r.Stop = done
	assert.Equal(t, parallel.ErrStopped, kernel(r))
}

func BenchmarkLayer(b *testing.B) {
	in, err := ir.NewTensor(ir.F32, 100, 1500)
	require.NoError(b, err)
	for i, data := 0, ir.Data[float32](in); i < len(data); i++ {
		data[i] = float32(i * 7919 % 101)
	}
	layertest.Benchmark(b, fmt.Sprintf("%v", in.Shape()), &Ops[0], nil, in)
}
