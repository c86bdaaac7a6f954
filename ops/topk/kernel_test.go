package topk

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/sorting"
)

func attributesOf(axis int, mode, sort, indexType string) layertest.Attributes {
	return layertest.Attributes{"axis", strconv.Itoa(axis), "mode", mode, "sort", sort, "index_element_type", indexType}
}

// reference sorts all elements along axis, whose values must be exact in float64.
func reference(values []float64, shape ir.Shape, axis, k int, mode, sort string) (picked []float64, indices []int64) {
	inner, length := shape[axis+1:].Elements(), shape[axis]
	outer := shape[:axis].Elements()
	picked, indices = make([]float64, outer*k*inner), make([]int64, outer*k*inner)
	for o := range outer {
		for i := range inner {
			at := func(j int) float64 { return values[(o*length+j)*inner+i] }
			positions := make([]int, length)
			for j := range positions {
				positions[j] = j
			}
			slices.SortStableFunc(positions, func(a, b int) int {
				x, y := at(a), at(b)
				switch {
				case math.IsNaN(x) || math.IsNaN(y):
					return cmp.Compare(fmt.Sprint(x == x, 1), fmt.Sprint(y == y, 1)) * -1
				case mode == "max":
					return cmp.Compare(y, x)
				}
				return cmp.Compare(x, y)
			})
			positions = positions[:k]
			if sort == "index" {
				slices.Sort(positions)
			}
			for n, j := range positions {
				picked[(o*k+n)*inner+i], indices[(o*k+n)*inner+i] = at(j), int64(j)
			}
		}
	}
	return picked, indices
}

func compare(t testing.TB, elementType ir.ElementType, shape ir.Shape, values []float64, axis, k int, mode, sort, indexType string, threads int) {
	t.Helper()
	data := layertest.Numbers(t, elementType, shape, values...)
	want, indices := reference(layertest.Floats(t, data), shape, axis, k, mode, sort)
	name := fmt.Sprint(elementType, shape, " axis ", axis, " k ", k, " ", mode, " by ", sort)
	got, err := layertest.RunOutputs(layertest.Find(t, Ops, 11), attributesOf(axis, mode, sort, indexType), threads, 2,
		data, layertest.Ints(t, ir.I64, ir.Shape{}, int64(k)))
	require.NoError(t, err, name)
	outShape := slices.Clone(shape)
	outShape[axis] = k
	require.Equal(t, outShape, got[0].Shape(), name)
	layertest.Near(t, want, got[0], 0, "%s", name)
	ints, err := got[1].Ints()
	require.NoError(t, err)
	require.Equal(t, indices, append([]int64{}, ints...), name)
}

func TestRandom(t *testing.T) { layertest.CheckSeeds(t, 1500, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	shape := make(ir.Shape, 1+rng.IntN(4))
	for i := range shape {
		shape[i] = 1 + rng.IntN(5)
	}
	axis := rng.IntN(len(shape))
	shape[axis] = 1 + rng.IntN([]int{4, 30, 300}[rng.IntN(3)])
	if rng.IntN(20) == 0 {
		shape[rng.IntN(len(shape))] = 0
	}
	k := rng.IntN(shape[axis] + 1)
	if rng.IntN(3) == 0 {
		k = min(1+rng.IntN(3), shape[axis])
	}
	elementType := types[rng.IntN(len(types))]
	values := make([]float64, shape.Elements())
	span := []int{2, 10, 60}[rng.IntN(3)]
	for i := range values {
		values[i] = float64(rng.IntN(span))
		if elementType.IsFloat() {
			if values[i] -= float64(span / 2); values[i] == 0 && rng.IntN(2) == 0 {
				values[i] = math.Copysign(0, -1)
			}
			if rng.IntN(10) == 0 {
				values[i] = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[rng.IntN(3)]
			}
		} else if elementType.Kind() == ir.KindSigned {
			values[i] -= float64(span / 2)
		}
	}
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	compare(t, elementType, shape, values, axis, k, pick("max", "min"), pick("value", "index", "none"), pick("i32", "i64"), 1+rng.IntN(3))
}

// TestLong has rows that are sorted in several blocks, with few and with many different values.
func TestLong(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	n := 2*sorting.Block + 100
	for _, elementType := range []ir.ElementType{ir.F32, ir.F64, ir.U8} {
		for _, k := range []int{1, 100, n / 5, n - 1, n} {
			for _, sort := range []string{"value", "index"} {
				values := make([]float64, 2*n)
				for i := range values {
					values[i] = float64(rng.IntN(250))
				}
				compare(t, elementType, ir.Shape{2, n}, values, 1, k, "max", sort, "i64", 2)
			}
		}
	}
}

// TestOrdered has rows in which every element, or none, is better than those before.
func TestOrdered(t *testing.T) {
	values := make([]float64, 2000)
	for i := range values {
		values[i] = float64(i) - 1000
	}
	for _, mode := range []string{"max", "min"} {
		for _, k := range []int{1, 7, 1999} {
			compare(t, ir.F32, ir.Shape{2000}, values, 0, k, mode, "value", "i32", 1)
			compare(t, ir.I16, ir.Shape{2000}, values, 0, k, mode, "value", "i32", 1)
		}
	}
}

// TestColumns has several blocks of columns, and columns whose first elements, or all, are NaN.
func TestColumns(t *testing.T) {
	layertest.CheckSeeds(t, 6, func(t *testing.T, seed uint64) {
		if testing.Short() && seed > 1 {
			return
		}
		rng := rand.New(rand.NewPCG(5, seed))
		shape := ir.Shape{2, 20, 2*blockColumns + rng.IntN(300)}
		values := layertest.RandomNumbers(rng, 100, 1, shape.Elements())
		for i := range values {
			row, column := i/shape[2]%shape[1], i%shape[2]
			switch {
			case row < column%5*5*(column/5%2):
				values[i] = math.NaN()
			case rng.IntN(10) == 0:
				values[i] = []float64{math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1)}[rng.IntN(4)]
			}
		}
		for _, k := range []int{1, 3, maxInserted} {
			compare(t, ir.F32, shape, values, 1, k, []string{"max", "min"}[seed%2], "value", "i32", 3)
		}
	})
}

// TestColumns_long has more rows than a call of the assembly takes.
func TestColumns_long(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 7))
	shape := ir.Shape{2*rowsPerCall + 5, 19}
	compare(t, ir.F32, shape, layertest.RandomNumbers(rng, 1000, 1, shape.Elements()), 0, 1, "max", "value", "i64", 1)
}

// TestRows has rows of all lengths up to many vectors, of which one has only NaN, and one only NaN
// and infinities.
func TestRows(t *testing.T) {
	layertest.CheckSeeds(t, 140, func(t *testing.T, seed uint64) {
		if testing.Short() && seed%5 > 0 {
			return
		}
		rng := rand.New(rand.NewPCG(7, seed))
		n := 1 + int(seed)
		values := layertest.RandomNumbers(rng, 30, 1, 3*n)
		for i := range n {
			values[n+i], values[2*n+i] = math.NaN(), math.NaN()
		}
		values[2*n+rng.IntN(n)], values[2*n+rng.IntN(n)] = math.Inf(1), math.Inf(-1)
		for _, mode := range []string{"max", "min"} {
			compare(t, ir.F32, ir.Shape{3, n}, values, 1, 1, mode, "value", "i64", 1)
			many := slices.Repeat(values, 50)
			compare(t, ir.F32, ir.Shape{150, n}, many, 1, min(n, 5), mode, []string{"value", "index"}[seed%2], "i64", 2)
		}
	})
	rng := rand.New(rand.NewPCG(8, 9))
	for _, n := range []int{maxRow, maxRow + 1} {
		compare(t, ir.F32, ir.Shape{2, n}, layertest.RandomNumbers(rng, 1000, 1, 2*n), 1, 1, "max", "value", "i32", 1)
	}
	compare(t, ir.F32, ir.Shape{500, 7}, layertest.RandomNumbers(rng, 1000, 1, 3500), 1, 1, "max", "value", "i32", 2)
}

// TestExtremes has values that float64 cannot hold.
func TestExtremes(t *testing.T) {
	for _, c := range []struct {
		data *ir.Tensor
		mode string
		want []int64
	}{
		{layertest.Ints(t, ir.I64, ir.Shape{4}, math.MaxInt64-1, math.MaxInt64, math.MinInt64, 0), "max", []int64{1, 0, 3, 2}},
		{layertest.Ints(t, ir.I64, ir.Shape{4}, math.MaxInt64-1, math.MaxInt64, math.MinInt64, 0), "min", []int64{2, 3, 0, 1}},
		{layertest.Ints(t, ir.I32, ir.Shape{3}, math.MaxInt32-1, math.MaxInt32, math.MinInt32), "max", []int64{1, 0, 2}},
	} {
		got, err := layertest.RunOutputs(&Ops[1], attributesOf(0, c.mode, "value", "i64"), 1, 2, c.data, layertest.Ints(t, ir.I64, ir.Shape{}, int64(c.data.Len())))
		require.NoError(t, err)
		assert.Equal(t, c.want, ir.Data[int64](got[1]))
	}
	unsigned, err := ir.TensorOf(ir.U64, ir.Shape{3}, []uint64{1 << 63, 1<<64 - 1, 1})
	require.NoError(t, err)
	got, err := layertest.RunOutputs(&Ops[1], attributesOf(0, "max", "value", "i32"), 1, 2, unsigned, layertest.Ints(t, ir.I64, ir.Shape{}, 3))
	require.NoError(t, err)
	assert.Equal(t, []int32{1, 0, 2}, ir.Data[int32](got[1]))
}

func TestKTooLarge(t *testing.T) {
	_, err := layertest.Run(&Ops[0], attributesOf(1, "max", "value", "i32"), 1, layertest.Counted(t, ir.F32, 2, 3), layertest.Ints(t, ir.I64, ir.Shape{}, 4))
	assert.EqualError(t, err, "k is 4, axis 1 of data of shape [2,3] has 3 elements")
}

func TestKernel_allocations(t *testing.T) {
	if testing.Short() {
		t.Skip("each type and many shapes")
	}
	rng := rand.New(rand.NewPCG(7, 8))
	for _, elementType := range types {
		for _, shape := range []ir.Shape{{8, 5000, 1}, {80, 300, 1}, {2, 300, 40}} {
			for _, k := range []int64{1, 5, 20, 300} {
				values := make([]float64, shape.Elements())
				for i := range values {
					values[i] = float64(rng.IntN(100))
				}
				layertest.CheckAllocations(t, &Ops[1], attributesOf(1, "max", "value", "i64"),
					layertest.Numbers(t, elementType, shape, values...), layertest.Ints(t, ir.I64, ir.Shape{}, k))
			}
		}
	}
}

// TestHalves checks that float32 of halves have their order and all their bits.
func TestHalves(t *testing.T) {
	for _, c := range conversions {
		if !c.From.IsFloat() {
			continue
		}
		narrow, back := ir.AlignedBytes(2<<16), ir.AlignedBytes(2<<16)
		wide := ir.AlignedBytes(4 << 16)
		tensor, err := ir.TensorOfBytes(c.From, ir.Shape{1 << 16}, narrow)
		require.NoError(t, err)
		bits := ir.Data[uint16](tensor)
		for i := range bits {
			bits[i] = uint16(i)
		}
		c.Widen(wide, narrow)
		c.Narrow(back, wide)
		assert.Equal(t, narrow, back, "%v", c.From)
		numbers, orders := layertest.Floats(t, tensor), cast.Bytes[float32](wide)
		for i := range numbers {
			for _, j := range []int{i ^ 1, i ^ 1<<15, 0, 1 << 15, (i + 1) & 0xffff, i ^ 1<<10} {
				require.Equal(t, numbers[i] < numbers[j], orders[i] < orders[j], "%v %#x %#x", c.From, i, j)
			}
			require.Equal(t, math.IsNaN(numbers[i]), orders[i] != orders[i], "%v %#x", c.From, i)
		}
	}
}
