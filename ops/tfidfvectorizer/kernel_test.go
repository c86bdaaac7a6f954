package tfidfvectorizer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// ints returns a vector, or rows of the given length.
func ints(t testing.TB, width int, values ...int64) *ir.Tensor {
	t.Helper()
	shape := ir.Shape{len(values)}
	if width > 0 {
		shape = ir.Shape{len(values) / width, width}
	}
	return layertest.Ints(t, ir.I64, shape, values...)
}

func floats(t testing.TB, values ...float64) *ir.Tensor {
	t.Helper()
	return layertest.Numbers(t, ir.F32, ir.Shape{len(values)}, values...)
}

// spelled returns a tensor of numbers as one of texts.
func spelled(t testing.TB, numbers *ir.Tensor) *ir.Tensor {
	t.Helper()
	texts := make([]string, numbers.Len())
	for i, x := range ir.Data[int64](numbers) {
		texts[i] = strconv.FormatInt(x, 10)
	}
	tensor, err := ir.TensorFrom(texts, numbers.Shape()...)
	require.NoError(t, err)
	return tensor
}

// lengths returns the attributes for n-grams of several lengths, which start at counts.
func lengths(shortest, longest, skips int, counts ...int) layertest.Attributes {
	return layertest.Attributes{
		"ngram_counts", layertest.List(counts), "min_gram_length", fmt.Sprint(shortest), "max_gram_length", fmt.Sprint(longest),
		"max_skip_count", fmt.Sprint(skips),
	}
}

func TestKernel(t *testing.T) {
	row := []int64{5, 6, 5, 6, 5}
	both := append(slices.Clone(row), 5, 5, 5, 5, 5)
	// The n-grams 5; 6; 5,6; 5,5; 5,5,5.
	pool, columns, counts := []int64{5, 6, 5, 6, 5, 5, 5, 5, 5}, []int64{0, 1, 2, 3, 6}, []int{0, 2, 6}
	for _, c := range []struct {
		attributes layertest.Attributes
		width      int
		data       []int64
		weights    []float64
		shape      ir.Shape
		want       []float64
	}{
		{lengths(1, 1, 0, counts...), 0, row, nil, ir.Shape{7}, []float64{3, 2, 0, 0, 0, 0, 0}},
		{lengths(2, 2, 0, counts...), 0, row, nil, ir.Shape{7}, []float64{0, 0, 2, 0, 0, 0, 0}},
		{lengths(1, 3, 0, counts...), 5, both, nil, ir.Shape{2, 7}, []float64{3, 2, 2, 0, 0, 0, 0, 5, 0, 0, 4, 0, 0, 3}},
		{lengths(2, 3, 1, counts...), 5, both, nil, ir.Shape{2, 7}, []float64{0, 0, 2, 2, 0, 0, 1, 0, 0, 0, 7, 0, 0, 4}},
		{lengths(2, 3, 1<<40, counts...), 0, row, nil, ir.Shape{7}, []float64{0, 0, 3, 3, 0, 0, 1}},
		{lengths(1, 2, 1, counts...), 0, row, []float64{10, 20, 30, 0.5, 7}, ir.Shape{7}, []float64{30, 40, 60, 1, 0, 0, 0}},
		{append(lengths(1, 2, 1, counts...), "binary", "true"), 0, row, []float64{10, 20, 30, 0.5, 7}, ir.Shape{7}, []float64{10, 20, 30, 0.5, 0, 0, 0}},
		{lengths(1, 3, 0, counts...), 0, nil, nil, ir.Shape{7}, make([]float64, 7)},
		{lengths(1, 3, 0, counts...), 0, []int64{9, 5, 9, 5}, nil, ir.Shape{7}, []float64{2, 0, 0, 0, 0, 0, 0}},
	} {
		inputs := []*ir.Tensor{ints(t, c.width, c.data...), ints(t, 0, pool...), ints(t, 0, columns...)}
		if c.weights != nil {
			inputs = append(inputs, floats(t, c.weights...))
		}
		layertest.CheckNear(t, &Ops[0], c.attributes, c.shape, c.want, 0, inputs...)
		inputs[0], inputs[1] = spelled(t, inputs[0]), spelled(t, inputs[1])
		layertest.CheckNear(t, &Ops[0], c.attributes, c.shape, c.want, 0, inputs...)
	}
	one := layertest.Ints(t, ir.I64, nil, 6)
	layertest.CheckNear(t, &Ops[0], lengths(1, 1, 0, 0), ir.Shape{1}, []float64{1}, 0, one, ints(t, 0, 6), ints(t, 0, 0))
	// N-grams in one column: the one with the largest distance counts.
	shared := append(lengths(1, 2, 1, 0, 1), "binary", "true")
	layertest.CheckNear(t, &Ops[0], shared, ir.Shape{1}, []float64{3}, 0, ints(t, 0, 1, 2, 1), ints(t, 0, 1, 1, 1, 1, 2), ints(t, 0, 0, 0, 0), floats(t, 5, 3, 4))
}

func TestKernel_errors(t *testing.T) {
	for _, c := range []struct {
		attributes    layertest.Attributes
		pool, columns []int64
		want          string
	}{
		{lengths(1, 1, 0, 0), []int64{1, 2, 1}, []int64{0, 1, 2}, "the n-gram of 1 items from item 2 of pool on is there twice"},
		{lengths(1, 2, 0, 0, 1), []int64{1, 1, 2, 1, 2}, []int64{0, 1, 2}, "the n-gram of 2 items from item 3 of pool on is there twice"},
		{lengths(1, 1, 0, 0, 1), []int64{1, 2, 3, 4}, []int64{0}, "the n-grams of 2 items are items 1 to 4 of pool, which has 4"},
		{lengths(1, 1, 0, 2, 1), []int64{1, 2, 3, 4}, []int64{0}, "the n-grams of 1 items are items 2 to 1 of pool, which has 4"},
		{lengths(1, 1, 0, -1), []int64{1, 2}, []int64{0}, "the n-grams of 1 items are items -1 to 2 of pool, which has 2"},
		{lengths(1, 1, 0, 0, 5), []int64{1, 2}, []int64{0}, "the n-grams of 1 items are items 0 to 5 of pool, which has 2"},
		{lengths(1, 1, 0, 0), []int64{1, 2}, []int64{0}, "pool has 2 n-grams, columns has 1 elements"},
		{lengths(2, 2, 0, 0, 1), []int64{1, 2, 3}, []int64{0}, "pool has 2 n-grams, columns has 1 elements"},
	} {
		_, err := layertest.Run(&Ops[0], c.attributes, 1, ints(t, 0, 1, 2), ints(t, 0, c.pool...), ints(t, 0, c.columns...))
		assert.EqualError(t, err, c.want)
	}
}

// reference computes a row by the definition: it looks at all places for each n-gram.
func reference(row []int64, pool []int64, counts []int, shortest, longest, skips int, columns []int64, weights []float64, width int) []float64 {
	out, gram := make([]float64, width), 0
	for i, start := range counts {
		n, end := i+1, len(pool)
		if i+1 < len(counts) {
			end = counts[i+1]
		}
		for ; start < end; start += n {
			for distance := 1; distance <= skips+1 && (n > 1 || distance == 1) && n >= shortest && n <= longest; distance++ {
				for at := 0; at+(n-1)*distance < len(row); at++ {
					same := true
					for k := range n {
						same = same && row[at+k*distance] == pool[start+k]
					}
					if same {
						out[columns[gram]] += weights[gram]
					}
				}
			}
			gram++
		}
	}
	return out
}

// checkRandom compares with the reference, for numbers and for texts.
func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	var pool []int64
	var counts []int
	grams, lengthCount := 0, 1+rng.IntN(4)
	for n := 1; n <= lengthCount; n++ {
		counts = append(counts, len(pool))
		seen := make(map[string]bool)
		for range rng.IntN(6) {
			gram := make([]int64, n)
			for i := range gram {
				gram[i] = rng.Int64N(4)
			}
			if !seen[fmt.Sprint(gram)] {
				seen[fmt.Sprint(gram)] = true
				pool = append(pool, gram...)
				grams++
			}
		}
	}
	columns, weights, width := make([]int64, grams), make([]float64, grams), 0
	for i := range columns {
		columns[i], weights[i] = rng.Int64N(8), float64(rng.IntN(9)-4)
		width = max(width, int(columns[i])+1)
	}
	shortest := 1 + rng.IntN(lengthCount)
	longest, skips := shortest+rng.IntN(lengthCount-shortest+1), rng.IntN(4)
	rows, items := 1+rng.IntN(4), rng.IntN(12)
	data := make([]int64, rows*items)
	for i := range data {
		data[i] = rng.Int64N(5)
	}
	var want []float64
	for r := range rows {
		want = append(want, reference(data[r*items:][:items], pool, counts, shortest, longest, skips, columns, weights, width)...)
	}
	x := layertest.Ints(t, ir.I64, ir.Shape{rows, items}, data...)
	inputs := []*ir.Tensor{x, ints(t, 0, pool...), ints(t, 0, columns...), floats(t, weights...)}
	attributes := lengths(shortest, longest, skips, counts...)
	layertest.CheckNear(t, &Ops[0], attributes, ir.Shape{rows, width}, want, 0, inputs...)
	inputs[0], inputs[1] = spelled(t, inputs[0]), spelled(t, inputs[1])
	layertest.CheckNear(t, &Ops[0], attributes, ir.Shape{rows, width}, want, 0, inputs...)
}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 100, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

// FuzzTable makes tables of any starts, shortest and longest length.
func FuzzTable(f *testing.F) {
	f.Add("1 2 1 2", int64(0), int64(2), 1, 2)
	f.Fuzz(func(t *testing.T, text string, first, second int64, shortest, longest int) {
		a := attributes{starts: []int64{first, second}, shortest: shortest, longest: longest, distances: 1}
		found, err := newTable([]rune(text), &a, nil)
		if err == nil {
			require.LessOrEqual(t, found.count, len(text))
			require.LessOrEqual(t, len(found.grams), len(text)+1)
		}
	})
}

func large(t testing.TB, rows, items int) []*ir.Tensor {
	rng := rand.New(rand.NewPCG(3, 1))
	data := make([]int64, rows*items)
	for i := range data {
		data[i] = rng.Int64N(3000)
	}
	pool := make([]int64, 2000)
	columns := make([]int64, 2000)
	for i := range pool {
		pool[i], columns[i] = int64(i), int64(i)
	}
	for i := range 1000 {
		pool = append(pool, int64(i), int64(i+1))
		columns = append(columns, int64(len(columns)))
	}
	return []*ir.Tensor{layertest.Ints(t, ir.I64, ir.Shape{rows, items}, data...), ints(t, 0, pool...), ints(t, 0, columns...)}
}

var pairs = lengths(1, 2, 1, 0, 2000)

func TestKernel_threads(t *testing.T) {
	inputs := large(t, 40, 300)
	var first *ir.Tensor
	for threads := 1; threads <= 3; threads++ {
		out, err := layertest.Run(&Ops[0], pairs, threads, inputs...)
		require.NoError(t, err)
		if first == nil {
			first = out
		}
		assert.Equal(t, layertest.Elements(first), layertest.Elements(out))
	}
}

func TestKernel_allocations(t *testing.T) {
	layertest.CheckAllocations(t, &Ops[0], pairs, large(t, 40, 100)...)
}

// TestKernel_refit runs a kernel on other lengths, and refuses other constants.
func TestKernel_refit(t *testing.T) {
	inputs := large(t, 2, 8)
	p := preparation(t, inputs)
	prepared, err := Ops[0].Prepare(p)
	require.NoError(t, err)
	p.Inputs = append([]ir.Fact{}, p.Inputs...)
	fits, err := prepared.Refit(p)
	require.NoError(t, err)
	assert.True(t, fits)
	p.Inputs[1].Tensor = ints(t, 0, ir.Data[int64](inputs[1])...)
	fits, err = prepared.Refit(p)
	require.NoError(t, err)
	assert.False(t, fits)
}

// preparation returns what prepare gets.
func preparation(t *testing.T, inputs []*ir.Tensor) *ops.Preparation {
	t.Helper()
	layer := &ir.Layer{Data: pairs.Data()}
	parsed, err := parse(ir.AttributesOf(layer))
	require.NoError(t, err)
	in := &ops.Inference{Attributes: parsed, Outputs: make([]ir.Fact, 1)}
	for _, tensor := range inputs {
		in.Inputs = append(in.Inputs, ir.Fact{Type: tensor.ElementType(), Shape: tensor.Shape().Partial(), Tensor: tensor})
	}
	require.NoError(t, infer(in))
	return &ops.Preparation{Attributes: parsed, Layer: layer, Inputs: in.Inputs, Outputs: in.Outputs, Threads: 1}
}

func TestKernel_stop(t *testing.T) {
	kernel, r, err := layertest.Prepare(&Ops[0], pairs, 1, large(t, 1, 1<<15)...)
	require.NoError(t, err)
	defer r.Pool.Close()
	done := make(chan struct{})
	close(done)
	r.Stop = done
	assert.Equal(t, parallel.ErrStopped, kernel(r))
	_, err = newTable(make([]int64, 1<<16), &attributes{starts: make([]int64, 1), shortest: 1, longest: 1}, done)
	assert.Error(t, err)
}

func BenchmarkLayer(b *testing.B) {
	inputs := large(b, 100, 50)
	layertest.Benchmark(b, "numbers", &Ops[0], pairs, inputs...)
	inputs[0], inputs[1] = spelled(b, inputs[0]), spelled(b, inputs[1])
	layertest.Benchmark(b, "words", &Ops[0], pairs, inputs...)
}
