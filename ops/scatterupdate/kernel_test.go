package scatterupdate

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

// reference computes the output coordinate by coordinate.
func reference(data, updates *ir.Tensor, indices []int64, indicesShape ir.Shape, axis int) []string {
	out := layertest.Elements(data)
	for i := range updates.Len() {
		at := index.Position(i, updates.Shape())
		position := 0
		for k, n := range indicesShape {
			position = position*n + at[axis+k]
		}
		to := 0
		for k, n := range data.Shape() {
			c := int(indices[position])
			if k < axis {
				c = at[k]
			} else if k > axis {
				c = at[k+len(indicesShape)-1]
			}
			to = to*n + c
		}
		out[to] = layertest.Element(updates, i)
	}
	return out
}

// counted returns updates that differ from all elements of data, if the type has that many
// values.
func counted(t testing.TB, elementType ir.ElementType, shape ...int) *ir.Tensor {
	u := layertest.Counted(t, elementType, shape...)
	for i := range u.Bytes() {
		u.Bytes()[i] ^= 0x80
	}
	for i := range u.Strings() {
		u.Strings()[i] += " of updates"
	}
	return u
}

// compare compares a layer with the reference.
func compare(t *testing.T, data, updates *ir.Tensor, indexType ir.ElementType, indices []int64, indicesShape ir.Shape, axis int) {
	t.Helper()
	want := reference(data, updates, indices, indicesShape, axis)
	layertest.CheckElements(t, &Ops[0], nil, data.Shape(), want,
		data, layertest.Ints(t, indexType, indicesShape, indices...), updates, layertest.Ints(t, ir.I32, nil, int64(axis)))
}

func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	types := layertest.Types()
	indexTypes := []ir.ElementType{ir.I32, ir.I64, ir.I8, ir.I16, ir.U8, ir.U16, ir.U32, ir.U64}
	for i := range 3000 {
		data := make([]int, 1+rng.IntN(4))
		for k := range data {
			data[k] = rng.IntN(6)
		}
		axis := rng.IntN(len(data))
		shape := make([]int, rng.IntN(3))
		for k := range shape {
			if shape[k] = rng.IntN(5); data[axis] == 0 {
				shape[k] = 0
			}
		}
		if data[axis] == 0 && len(shape) == 0 {
			continue
		}
		indices := make([]int64, ir.Shape(shape).Elements())
		for k := range indices {
			indices[k] = int64(rng.IntN(data[axis]))
		}
		elementType := types[i%len(types)]
		updates := counted(t, elementType, updatesShape(data, shape, axis)...)
		compare(t, layertest.Counted(t, elementType, data...), updates, indexTypes[i%len(indexTypes)], indices, shape, axis)
	}
}

// TestLarge has enough elements for several threads, and covers each way to divide the work.
func TestLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		data  []int
		count int
		axis  int
	}{
		{[]int{3000, 200}, 100, 0},   // ranges of rows
		{[]int{3000, 200}, 2900, 0},  // ranges of merged rows
		{[]int{3000, 200}, 9000, 0},  // duplicate indices
		{[]int{40, 300, 50}, 250, 1}, // slabs of merged rows
		{[]int{400, 3000}, 500, 1},   // slabs of elements
		{[]int{1000000}, 1000, 0},    // ranges of elements
		{[]int{100000}, 300000, 0},   // not divided
		{[]int{100, 2000, 1}, 70, 1},
	} {
		indices := make([]int64, c.count)
		for i := range indices {
			indices[i] = int64(rng.IntN(c.data[c.axis]))
		}
		shape := ir.Shape{c.count}
		updates := counted(t, ir.I32, updatesShape(c.data, shape, c.axis)...)
		compare(t, layertest.Counted(t, ir.I32, c.data...), updates, ir.I64, indices, shape, c.axis)
	}
}

// TestUnaligned has data that is aligned for its elements, but not for a row as one unit.
func TestUnaligned(t *testing.T) {
	raw := layertest.Counted(t, ir.U8, 33)
	data, err := ir.TensorOf(ir.U8, ir.Shape{8, 4}, raw.Bytes()[1:])
	require.NoError(t, err)
	compare(t, data, counted(t, ir.U8, 2, 4), ir.I32, []int64{7, 0}, ir.Shape{2}, 0)
}

func TestIndexError(t *testing.T) {
	beyond, err := ir.TensorOf(ir.U64, ir.Shape{1}, []uint64{math.MaxUint64})
	require.NoError(t, err)
	one := func(elementType ir.ElementType, v int64) *ir.Tensor {
		return layertest.Ints(t, elementType, ir.Shape{1}, v)
	}
	packed := layertest.Counted(t, ir.I4, 1)
	packed.SetPacked(0, 0xf)
	for _, c := range []struct {
		indices *ir.Tensor
		want    string
	}{
		{one(ir.I64, -1), "index -1 at position [0] is outside [0,2]"},
		{one(ir.I32, 3), "index 3 at position [0] is outside [0,2]"},
		{one(ir.I8, -4), "index -4 at position [0] is outside [0,2]"},
		{one(ir.I32, 1e9), "index 1000000000 at position [0] is outside [0,2]"},
		{one(ir.I32, -1e9), "index -1000000000 at position [0] is outside [0,2]"},
		{one(ir.I64, 1<<32), "index 4294967296 at position [0] is outside [0,2]"},
		{one(ir.I64, math.MinInt64), "index -9223372036854775808 at position [0] is outside [0,2]"},
		{one(ir.U32, math.MaxUint32), "index 4294967295 at position [0] is outside [0,2]"},
		{beyond, "index 18446744073709551615 at position [0] is outside [0,2]"},
		{packed, "index -1 at position [0] is outside [0,2]"},
	} {
		for _, elementType := range []ir.ElementType{ir.F32, ir.U4, ir.String} {
			data := layertest.Counted(t, elementType, 3)
			before := layertest.Elements(data)
			_, err := layertest.RunInPlace(&Ops[0], nil, 1, data, c.indices, counted(t, elementType, 1), layertest.Ints(t, ir.I64, nil, 0))
			require.EqualError(t, err, c.want)
			var at *ops.IndexError
			require.True(t, errors.As(err, &at))
			assert.Equal(t, before, layertest.Elements(data), "nothing has been written")
		}
	}
	_, err = layertest.Run(&Ops[0], nil, 1, layertest.Counted(t, ir.F32, 0, 2), one(ir.I64, 0), counted(t, ir.F32, 1, 2), layertest.Ints(t, ir.I64, nil, 0))
	assert.EqualError(t, err, "index 0 at position [0] points into an axis of length 0")
	indices := layertest.Ints(t, ir.I32, ir.Shape{2, 2}, 0, 1, 2, 7)
	_, err = layertest.Run(&Ops[0], nil, 1, layertest.Counted(t, ir.F32, 3, 0), indices, counted(t, ir.F32, 2, 2, 0), layertest.Ints(t, ir.I64, nil, 0))
	assert.EqualError(t, err, "index 7 at position [1 1] is outside [0,2]", "also where nothing would be written")
}

// TestPrepare_refused has shapes that are only valid as long as the axis is not known.
func TestPrepare_refused(t *testing.T) {
	data, indices := layertest.Counted(t, ir.F32, 3, 4), layertest.Ints(t, ir.I64, ir.Shape{2}, 0, 1)
	_, err := layertest.Run(&Ops[0], nil, 1, data, indices, counted(t, ir.F32, 3, 3), layertest.Ints(t, ir.I64, nil, 0))
	assert.EqualError(t, err, "updates are [3,3]; data [3,4] and indices [2] along axis 0 need [2,4]")
	_, err = layertest.Run(&Ops[0], nil, 1, data, indices, counted(t, ir.F32, 2, 4), layertest.Ints(t, ir.I64, nil, 2))
	assert.EqualError(t, err, "axis 2 is outside [-2,1] for rank 2")
}

// TestProperties checks properties that are independent of the values.
func TestProperties(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	axis := layertest.Ints(t, ir.I64, nil, 1)
	for range 50 {
		data := layertest.Counted(t, ir.F32, 4, 9, 3)
		same, err := layertest.Run(&Ops[0], nil, 1, data, layertest.Ints(t, ir.I64, ir.Shape{0}), counted(t, ir.F32, 4, 0, 3), axis)
		require.NoError(t, err)
		require.Equal(t, data.Bytes(), same.Bytes(), "without indices data stays")

		// If indices are unique, their order does not matter.
		places, order := rng.Perm(9)[:5], rng.Perm(5)
		ids, moved := make([]int64, 5), make([]int64, 5)
		updates := counted(t, ir.F32, 4, 5, 3)
		shuffled := counted(t, ir.F32, 4, 5, 3)
		for k, from := range order {
			ids[k], moved[k] = int64(places[k]), int64(places[from])
			for o := range 4 {
				copy(ir.Data[float32](shuffled)[(o*5+k)*3:][:3], ir.Data[float32](updates)[(o*5+from)*3:])
			}
		}
		a, err := layertest.Run(&Ops[0], nil, 1, data, layertest.Ints(t, ir.I64, ir.Shape{5}, ids...), updates, axis)
		require.NoError(t, err)
		b, err := layertest.Run(&Ops[0], nil, 1, data, layertest.Ints(t, ir.I64, ir.Shape{5}, moved...), shuffled, axis)
		require.NoError(t, err)
		require.Equal(t, a.Bytes(), b.Bytes())
	}
}

func TestKernel_allocations(t *testing.T) {
	layertest.CheckAllocations(t, &Ops[0], nil, layertest.Counted(t, ir.F32, 300, 300),
		layertest.Ints(t, ir.U8, ir.Shape{2}, 5, 250), counted(t, ir.F32, 2, 300), layertest.Ints(t, ir.I64, nil, 0))
}

func FuzzKernel(f *testing.F) {
	f.Add(uint8(2), []byte{2, 3, 4}, uint8(1), []byte{0, 1, 2, 1})
	f.Add(uint8(5), []byte{4, 1}, uint8(0), []byte{3, 200})
	f.Add(uint8(25), []byte{0, 2}, uint8(0), []byte{})
	f.Fuzz(func(t *testing.T, elementType uint8, dims []byte, axis uint8, indices []byte) {
		types := layertest.Types()
		data := make([]int, min(len(dims), 5))
		for i := range data {
			data[i] = int(dims[i] % 7)
		}
		if len(data) == 0 || len(indices) > 100 {
			return
		}
		a := int(axis) % len(data)
		ids := make([]int64, len(indices))
		bad := -1
		for i, v := range indices {
			ids[i] = int64(int8(v))
			if bad < 0 && (ids[i] < 0 || ids[i] >= int64(data[a])) {
				bad = i
			}
		}
		shape := ir.Shape{len(ids)}
		et := types[int(elementType)%len(types)]
		x, updates := layertest.Counted(t, et, data...), counted(t, et, updatesShape(data, shape, a)...)
		if bad < 0 {
			compare(t, x, updates, ir.I16, ids, shape, a)
			return
		}
		_, err := layertest.Run(&Ops[0], nil, 1, x, layertest.Ints(t, ir.I32, shape, ids...), updates, layertest.Ints(t, ir.I64, nil, int64(a)))
		var at *ops.IndexError
		require.True(t, errors.As(err, &at), "%v", err)
		assert.Equal(t, []int{bad}, at.Position)
		assert.Equal(t, ids[bad], at.Value)
	})
}
