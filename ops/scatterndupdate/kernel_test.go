package scatterndupdate

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// places returns the index in data of each element of updates, coordinate by coordinate.
func places(data, indicesShape ir.Shape, indices []int64, updates ir.Shape) []int {
	last := len(indicesShape) - 1
	k := indicesShape[last]
	to := make([]int, updates.Elements())
	for i := range to {
		at := index.Position(i, updates)
		tuple := 0
		for c, n := range indicesShape[:last] {
			tuple = tuple*n + at[c]
		}
		for c, n := range data {
			coordinate := 0
			if c >= k {
				coordinate = at[last+c-k]
			} else if coordinate = int(indices[tuple*k+c]); coordinate < 0 {
				coordinate += n
			}
			to[i] = to[i]*n + coordinate
		}
	}
	return to
}

// scatterOp returns the layer type and the attributes of a reduction.
func scatterOp(t testing.TB, red reduction) (*ops.Op, layertest.Attributes) {
	if red == none {
		return layertest.Find(t, Ops, 3), nil
	}
	return layertest.Find(t, Ops, 15), layertest.Attributes{"reduction", red.String()}
}

// check compares the output of a layer with the elements in want.
func check(t *testing.T, red reduction, data, indices, updates *ir.Tensor, want []string) {
	t.Helper()
	op, attributes := scatterOp(t, red)
	layertest.CheckElements(t, op, attributes, data.Shape(), want, data, indices, updates)
}

// randomCase returns shapes that fit each other, and the values of indices.
func randomCase(rng *rand.Rand, longest int) (data, indices ir.Shape, values []int64) {
	data = make(ir.Shape, 1+rng.IntN(4))
	for i := range data {
		data[i] = rng.IntN(longest + 1)
	}
	k := 1 + rng.IntN(len(data))
	indices = make(ir.Shape, rng.IntN(3), 3)
	for i := range indices {
		indices[i] = rng.IntN(longest)
	}
	for _, n := range data[:k] {
		if n == 0 && len(indices) == 0 {
			indices = append(indices, 0)
		} else if n == 0 {
			indices[0] = 0
		}
	}
	indices = append(indices, k)
	values = make([]int64, indices.Elements())
	for i := range values {
		n := data[i%k]
		values[i] = int64(rng.IntN(2*n) - n)
	}
	return data, indices, values
}

func indexTensor(t testing.TB, i int, shape ir.Shape, values []int64) *ir.Tensor {
	return layertest.Ints(t, []ir.ElementType{ir.I32, ir.I64}[i%2], shape, values...)
}

func TestRandom_none(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	types := layertest.Types()
	for i := range 2000 {
		dataShape, indicesShape, values := randomCase(rng, 5)
		elementType := types[i%len(types)]
		data := layertest.Counted(t, elementType, dataShape...)
		shape := updatesShape(dataShape, indicesShape, indicesShape[len(indicesShape)-1])
		updates := layertest.Counted(t, elementType, shape...)
		for k := range updates.Bytes() {
			updates.Bytes()[k] ^= 0x80
		}
		for k := range updates.Strings() {
			updates.Strings()[k] += " of updates"
		}
		want := layertest.Elements(data)
		for from, to := range places(dataShape, indicesShape, values, shape) {
			want[to] = layertest.Element(updates, from)
		}
		check(t, none, data, indexTensor(t, i, indicesShape, values), updates, want)
	}
}

// TestLarge has enough elements for several threads, and duplicate indices.
func TestLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		data, indices ir.Shape
	}{
		{ir.Shape{2000, 200}, ir.Shape{900, 1}},
		{ir.Shape{2000, 200}, ir.Shape{90, 1}},
		{ir.Shape{50, 40, 200}, ir.Shape{3000, 2}},
		{ir.Shape{700, 700}, ir.Shape{900, 2}},
		{ir.Shape{1000}, ir.Shape{100000, 1}},
	} {
		k := c.indices[len(c.indices)-1]
		values := make([]int64, c.indices.Elements())
		for i := range values {
			values[i] = int64(rng.IntN(2*c.data[i%k]) - c.data[i%k])
		}
		shape := updatesShape(c.data, c.indices, k)
		for _, red := range []reduction{none, sum} {
			data, updates := layertest.Counted(t, ir.I32, c.data...), layertest.Counted(t, ir.I32, shape...)
			want := layertest.Counted(t, ir.I32, c.data...)
			elements := ir.Data[int32](want)
			for from, to := range places(c.data, c.indices, values, shape) {
				if red == none {
					elements[to] = 0
				}
				elements[to] += ir.Data[int32](updates)[from]
			}
			check(t, red, data, indexTensor(t, 1, c.indices, values), updates, layertest.Elements(want))
		}
	}
}

// TestTuples has tuples of no indices, and a tuple with an index for each axis.
func TestTuples(t *testing.T) {
	for _, red := range []reduction{none, sum} {
		data := layertest.Counted(t, ir.F32, 2, 3)
		none := layertest.Ints(t, ir.I64, ir.Shape{2, 0})
		check(t, red, data, none, layertest.Counted(t, ir.F32, 2, 2, 3), layertest.Elements(data))
	}
	op, attributes := scatterOp(t, sum)
	data, place := layertest.Ints(t, ir.I32, ir.Shape{2, 2}, 1, 2, 3, 4), layertest.Ints(t, ir.I64, ir.Shape{2}, 1, -2)
	got, err := layertest.Run(op, attributes, 1, data, place, layertest.Ints(t, ir.I32, ir.Shape{1, 1}, 10))
	require.NoError(t, err)
	assert.Equal(t, []int32{1, 2, 13, 4}, ir.Data[int32](got))
	_, err = layertest.Run(op, attributes, 1, data, place, layertest.Ints(t, ir.I32, ir.Shape{2}, 10, 20))
	assert.EqualError(t, err, "updates are [2]; one tuple of 2 indices into data [2,2] needs one element")
}

func TestIndexError(t *testing.T) {
	for _, c := range []struct {
		shape  ir.Shape
		values []int64
		want   string
	}{
		{ir.Shape{1, 1}, []int64{3}, "index 3 at position [0 0] is outside [-3,2]"},
		{ir.Shape{2, 1}, []int64{-3, -4}, "index -4 at position [1 0] is outside [-3,2]"},
		{ir.Shape{2, 2}, []int64{0, 3, 0, 4}, "index 4 at position [1 1] is outside [-4,3]"},
		{ir.Shape{1, 2}, []int64{0, -5}, "index -5 at position [0 1] is outside [-4,3]"},
		{ir.Shape{2}, []int64{0, 5}, "index 5 at position [1] is outside [-4,3]"},
		{ir.Shape{1, 1}, []int64{1 << 32}, "index 4294967296 at position [0 0] is outside [-3,2]"},
		{ir.Shape{1, 2}, []int64{1 << 32, 0}, "index 4294967296 at position [0 0] is outside [-3,2]"},
		{ir.Shape{1, 1}, []int64{math.MinInt64}, "index -9223372036854775808 at position [0 0] is outside [-3,2]"},
		{ir.Shape{1, 2}, []int64{0, math.MaxInt64}, "index 9223372036854775807 at position [0 1] is outside [-4,3]"},
	} {
		for red := none; red <= maximum; red++ {
			for _, elementType := range []ir.ElementType{ir.F32, ir.F16, ir.U4, ir.NF4, ir.Boolean} {
				data := layertest.Counted(t, elementType, 3, 4)
				before := layertest.Elements(data)
				updates := layertest.Counted(t, elementType, updatesShape(ir.Shape{3, 4}, c.shape, c.shape[len(c.shape)-1])...)
				op, attributes := scatterOp(t, red)
				_, err := layertest.RunInPlace(op, attributes, 1, data, layertest.Ints(t, ir.I64, c.shape, c.values...), updates)
				require.EqualError(t, err, c.want)
				var at *ops.IndexError
				require.True(t, errors.As(err, &at))
				assert.Equal(t, before, layertest.Elements(data), "nothing has been written")
			}
		}
	}
	_, err := layertest.Run(&Ops[0], nil, 1, layertest.Counted(t, ir.F32, 0), layertest.Ints(t, ir.I64, ir.Shape{1, 1}, 0), layertest.Counted(t, ir.F32, 1))
	assert.EqualError(t, err, "index 0 at position [0 0] points into an axis of length 0")
}

func FuzzKernel(f *testing.F) {
	f.Add(uint8(2), []byte{2, 3, 4}, uint8(1), []byte{0, 1, 2, 1}, uint8(0))
	f.Add(uint8(5), []byte{4, 1}, uint8(2), []byte{3, 200}, uint8(1))
	f.Add(uint8(18), []byte{3, 3}, uint8(2), []byte{1, 1, 1, 1}, uint8(0))
	f.Fuzz(func(t *testing.T, elementType uint8, dims []byte, k uint8, indices []byte, red uint8) {
		types := layertest.Types()
		data := make(ir.Shape, min(len(dims), 4))
		for i := range data {
			data[i] = int(dims[i] % 6)
		}
		if len(data) == 0 || len(indices) > 100 {
			return
		}
		tuple := 1 + int(k)%len(data)
		values := make([]int64, len(indices)/tuple*tuple)
		bad := -1
		for i := range values {
			n := int64(data[i%tuple])
			if values[i] = int64(int8(indices[i])); bad < 0 && (values[i] < -n || values[i] >= n) {
				bad = i
			}
		}
		shape := ir.Shape{len(values) / tuple, tuple}
		et := types[int(elementType)%len(types)]
		x, ids := layertest.Counted(t, et, data...), indexTensor(t, int(k), shape, values)
		updates := layertest.Counted(t, et, updatesShape(data, shape, tuple)...)
		op, attributes := scatterOp(t, reduction(red)%(maximum+1))
		if bad >= 0 {
			_, err := layertest.Run(op, attributes, 1, x, ids, updates)
			var at *ops.IndexError
			if errors.As(err, &at) {
				assert.Equal(t, []int{bad / tuple, bad % tuple}, at.Position)
				assert.Equal(t, values[bad], at.Value)
			} else {
				assert.ErrorContains(t, err, "is not defined for")
			}
			return
		}
		if red%uint8(maximum+1) == 0 {
			want := layertest.Elements(x)
			for from, to := range places(data, shape, values, updates.Shape()) {
				want[to] = layertest.Element(updates, from)
			}
			check(t, none, x, ids, updates, want)
			return
		}
		// In place and not, on one thread and two, the results are equal.
		a, err := layertest.Run(op, attributes, 2, x, ids, updates)
		if err != nil {
			assert.ErrorContains(t, err, "is not defined for")
			return
		}
		b, err := layertest.RunInPlace(op, attributes, 1, x, ids, updates)
		require.NoError(t, err)
		assert.Equal(t, layertest.Elements(a), layertest.Elements(b))
	})
}
