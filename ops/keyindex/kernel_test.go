package keyindex

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

func texts(t testing.TB, values ...string) *ir.Tensor {
	t.Helper()
	tensor, err := ir.TensorFrom(values, len(values))
	require.NoError(t, err)
	return tensor
}

var strict = layertest.Attributes{"strict", "true"}

func TestKernel(t *testing.T) {
	nan := math.NaN()
	ints := func(values ...int64) *ir.Tensor { return layertest.Ints(t, ir.I64, ir.Shape{len(values)}, values...) }
	floats := func(values ...float64) *ir.Tensor {
		return layertest.Numbers(t, ir.F64, ir.Shape{len(values)}, values...)
	}
	for _, c := range []struct {
		data, keys *ir.Tensor
		want       []float64
	}{
		{ints(7, -3, 8), ints(-3, 7), []float64{1, 0, 2}},
		{ints(1), ints(2, 1, 1), []float64{1}},
		{ints(1), ints(), []float64{0}},
		{ints(), ints(1), nil},
		{floats(0.5, nan, 3, math.Copysign(0, -1)), floats(0, nan, 0.5, nan), []float64{2, 1, 4, 0}},
		{floats(nan), floats(1), []float64{1}},
		{texts(t, "é", "", "b"), texts(t, "", "é"), []float64{1, 0, 2}},
	} {
		layertest.CheckNear(t, &Ops[0], nil, c.data.Shape(), c.want, 0, c.data, c.keys)
	}
	_, err := layertest.Run(&Ops[0], strict, 1, texts(t, "a", "x"), texts(t, "a"))
	assert.EqualError(t, err, `element 1 of data is "x", which is none of the 1 keys`)
	_, err = layertest.Run(&Ops[0], strict, 1, ints(5), ints(6, 7))
	assert.EqualError(t, err, `element 0 of data is 5, which is none of the 2 keys`)
	_, err = layertest.Run(&Ops[0], strict, 1, ints(6), ints(6, 7))
	assert.NoError(t, err)
}

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Inputs: []string{"i64[2,?]", "i64[3]"}, Want: "i64[2,?]"},
		{Inputs: []string{"string[...]", "string[?]"}, Want: "i64[...]"},
		{Inputs: []string{"i64[2]", "f64[3]"}, Error: "keys is f64, the inputs before it are i64"},
		{Inputs: []string{"f32[2]", "f32[3]"}, Error: "data is f32, expected i64, f64 or string"},
		{Inputs: []string{"i64[2]", "i64[3,1]"}, Error: "keys has shape [3,1], expected rank 1"},
	})
}

// checkRandom compares with a search from the first key on.
func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	list := func(n int) []int64 {
		out := make([]int64, n)
		for i := range out {
			out[i] = rng.Int64N(12)
		}
		return out
	}
	data, keys := list(rng.IntN(40)), list(rng.IntN(10))
	var want []float64
	for _, x := range data {
		at := 0
		for at < len(keys) && keys[at] != x {
			at++
		}
		want = append(want, float64(at))
	}
	shape := ir.Shape{len(data)}
	layertest.CheckNear(t, &Ops[0], nil, shape, want, 0, layertest.Ints(t, ir.I64, shape, data...), layertest.Ints(t, ir.I64, ir.Shape{len(keys)}, keys...))
}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 100, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func TestKernel_allocations(t *testing.T) {
	layertest.CheckAllocations(t, &Ops[0], nil, layertest.Counted(t, ir.I64, 5000), layertest.Counted(t, ir.I64, 100))
	layertest.CheckAllocations(t, &Ops[0], nil, texts(t, make([]string, 5000)...), texts(t, "a", ""))
}

func TestPrepare_stop(t *testing.T) {
	done := make(chan struct{})
	close(done)
	_, err := newTable(make([]int64, 1<<16), done)
	assert.Equal(t, parallel.ErrStopped, err)
}

func BenchmarkLayer(b *testing.B) {
	words := make([]string, 4000)
	for i := range words {
		words[i] = fmt.Sprint("word", i%1500)
	}
	layertest.Benchmark(b, "words", &Ops[0], nil, texts(b, words...), texts(b, words[:1000]...))
}
