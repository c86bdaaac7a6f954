package unique

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/sorting"
)

func attributesOf(sorted bool, indexType, countType string) layertest.Attributes {
	return layertest.Attributes{"sorted", strconv.FormatBool(sorted), "index_element_type", indexType, "count_element_type", countType}
}

// result is the outputs, without types.
type result struct {
	data                  []float64
	shape                 ir.Shape
	first, reverse, count []int64
}

// reference compares each slice with all groups before it.
func reference(values []float64, shape ir.Shape, axis int, sorted bool) result {
	outer, length, inner := 1, len(values), 1
	if axis >= 0 {
		outer, length, inner = shape[:axis].Elements(), shape[axis], shape[axis+1:].Elements()
	}
	get := func(j int) []float64 {
		var slice []float64
		for o := range outer {
			slice = append(slice, values[(o*length+j)*inner:][:inner]...)
		}
		return slice
	}
	r := result{first: []int64{}, reverse: []int64{}, count: []int64{}}
	var found [][]float64
	for j := range length {
		slice := get(j)
		g := slices.IndexFunc(found, func(other []float64) bool { return slices.Equal(slice, other) })
		if g < 0 {
			g = len(found)
			found, r.first, r.count = append(found, slice), append(r.first, int64(j)), append(r.count, 0)
		}
		r.reverse = append(r.reverse, int64(g))
		r.count[g]++
	}
	if sorted {
		places := make([]int, len(found))
		for i := range places {
			places[i] = i
		}
		slices.SortFunc(places, func(a, b int) int { return slices.Compare(found[a], found[b]) })
		old := r
		r.first, r.count = make([]int64, len(found)), make([]int64, len(found))
		ranks, moved := make([]int64, len(found)), make([][]float64, len(found))
		for to, from := range places {
			r.first[to], r.count[to], moved[to], ranks[from] = old.first[from], old.count[from], found[from], int64(to)
		}
		for i, g := range r.reverse {
			r.reverse[i] = ranks[g]
		}
		found = moved
	}
	r.shape, r.data = ir.Shape{len(found)}, make([]float64, outer*len(found)*inner)
	if axis >= 0 {
		r.shape = slices.Clone(shape)
		r.shape[axis] = len(found)
	}
	for g, slice := range found {
		for o := range outer {
			copy(r.data[(o*len(found)+g)*inner:][:inner], slice[o*inner:])
		}
	}
	return r
}

func compare(t testing.TB, elementType ir.ElementType, shape ir.Shape, values []float64, axis int, sorted bool, indexType, countType string) {
	t.Helper()
	var data *ir.Tensor
	if elementType == ir.String {
		data = spelled(t, values, shape)
	} else {
		data = layertest.Numbers(t, elementType, shape, values...)
		values = layertest.Floats(t, data)
	}
	inputs := []*ir.Tensor{data}
	if axis >= 0 {
		inputs = append(inputs, layertest.Ints(t, ir.I64, ir.Shape{}, int64(axis)))
	}
	got, err := layertest.RunOutputs(&Ops[0], attributesOf(sorted, indexType, countType), 1, 4, inputs...)
	name := fmt.Sprint(elementType, shape, " axis ", axis, " sorted ", sorted)
	require.NoError(t, err, name)
	want := reference(values, shape, axis, sorted)
	require.Equal(t, want.shape, got[0].Shape(), name)
	if elementType == ir.String {
		require.Equal(t, spelled(t, want.data, want.shape).Strings(), got[0].Strings(), name)
	} else {
		layertest.Near(t, want.data, got[0], 0, "%s", name)
	}
	for i, numbers := range [][]int64{want.first, want.reverse, want.count} {
		ints, err := got[i+1].Ints()
		require.NoError(t, err)
		require.Equal(t, numbers, append([]int64{}, ints...), "%s output %d", name, i+1)
	}
	assert.Equal(t, []string{indexType, indexType, countType}, []string{got[1].ElementType().String(), got[2].ElementType().String(), got[3].ElementType().String()})
}

// spelled returns texts in the order of numbers below 10, some of which start alike.
func spelled(t testing.TB, numbers []float64, shape ir.Shape) *ir.Tensor {
	t.Helper()
	texts := make([]string, len(numbers))
	for i, x := range numbers {
		texts[i] = []string{"", "a", "a\x00", "ab", "prefix-of-texts", "prefix-of-textt", "z", "é", "日本", "\xff"}[int(x)]
	}
	tensor, err := ir.TensorFrom(texts, shape...)
	require.NoError(t, err)
	return tensor
}

func TestRandom(t *testing.T) { layertest.CheckSeeds(t, 1000, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	shape := make(ir.Shape, rng.IntN(4))
	for i := range shape {
		shape[i] = rng.IntN(7)
	}
	axis := -1
	if len(shape) > 0 && rng.IntN(2) == 0 {
		axis = rng.IntN(len(shape))
	}
	elementType := types[rng.IntN(len(types))]
	values := make([]float64, shape.Elements())
	span := []int{2, 10}[rng.IntN(2)]
	for i := range values {
		values[i] = float64(rng.IntN(span))
		switch {
		case elementType == ir.Boolean:
			values[i] = float64(rng.IntN(2))
		case elementType.IsFloat():
			if values[i] -= 1; values[i] == 0 && rng.IntN(2) == 0 {
				values[i] = math.Copysign(0, -1)
			} else if rng.IntN(20) == 0 {
				values[i] = math.Inf(rng.IntN(2)*2 - 1)
			}
		case elementType.Kind() == ir.KindSigned:
			values[i] -= 3
		}
	}
	kinds := []string{"i32", "i64"}
	compare(t, elementType, shape, values, axis, rng.IntN(2) == 0, kinds[rng.IntN(2)], kinds[rng.IntN(2)])
}

// TestLong has several blocks of the sort.
func TestLong(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	n := 2*sorting.Block + 50
	for _, shape := range []ir.Shape{{n}, {n, 2}} {
		for _, sorted := range []bool{false, true} {
			values := layertest.RandomNumbers(rng, 20, 1, shape.Elements())
			compare(t, ir.F32, shape, values, len(shape)-2, sorted, "i64", "i32")
		}
	}
}

// TestNaN checks that NaN of the same bits are one element, the last one.
func TestNaN(t *testing.T) {
	bits := []uint32{math.Float32bits(3), 0xffc00000, 0x7fc00000, math.Float32bits(-1), 0xffc00000, 0xff800000, 0x7f800000}
	floats := make([]float32, len(bits))
	for i, b := range bits {
		floats[i] = math.Float32frombits(b)
	}
	data, err := ir.TensorOf(ir.F32, ir.Shape{len(bits)}, floats)
	require.NoError(t, err)
	got, err := layertest.RunOutputs(&Ops[0], attributesOf(true, "i64", "i64"), 1, 4, data)
	require.NoError(t, err)
	assert.Equal(t, []int64{5, 3, 0, 6, 2, 1}, ir.Data[int64](got[1]))
	assert.Equal(t, []int64{2, 5, 4, 1, 5, 0, 3}, ir.Data[int64](got[2]))
	assert.Equal(t, []int64{1, 1, 1, 1, 1, 2}, ir.Data[int64](got[3]))
}

// TestExtremes has values that float64 cannot hold.
func TestExtremes(t *testing.T) {
	data := layertest.Ints(t, ir.I64, ir.Shape{4}, math.MaxInt64-1, math.MaxInt64, math.MinInt64, math.MaxInt64-1)
	got, err := layertest.RunOutputs(&Ops[0], attributesOf(true, "i64", "i64"), 1, 4, data)
	require.NoError(t, err)
	assert.Equal(t, []int64{math.MinInt64, math.MaxInt64 - 1, math.MaxInt64}, ir.Data[int64](got[0]))
	assert.Equal(t, []int64{1, 2, 1}, ir.Data[int64](got[3]))
}

// TestEqualSlices has slices without elements, all of which are equal.
func TestEqualSlices(t *testing.T) {
	compare(t, ir.F32, ir.Shape{3, 0}, nil, 0, true, "i64", "i64")
	compare(t, ir.F32, ir.Shape{3, 0}, nil, 1, true, "i64", "i64")
	compare(t, ir.F32, ir.Shape{0}, nil, -1, false, "i64", "i64")
}

func TestKernel_allocations(t *testing.T) {
	for _, elementType := range []ir.ElementType{ir.F32, ir.I64} {
		data := layertest.Counted(t, elementType, 5000, 2)
		kernel, r, err := layertest.PrepareOutputs(&Ops[0], nil, 1, 4, data)
		require.NoError(t, err)
		require.NoError(t, kernel(r))
		require.Zero(t, testing.AllocsPerRun(5, func() {
			// the output of the previous run has the right shape
			r.Resize = func(int, ir.Shape) error { return nil }
			err = kernel(r)
		}))
		require.NoError(t, err)
	}
}
