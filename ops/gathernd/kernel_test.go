package gathernd

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// reference computes the output coordinate by coordinate.
func reference(data *ir.Tensor, indicesShape ir.Shape, indices []int64, batch int) (ir.Shape, []string) {
	d, last := data.Shape(), len(indicesShape)-1
	k := indicesShape[last]
	shape := slices.Concat(indicesShape[:last], d[batch+k:])
	out := make([]string, shape.Elements())
	for i := range out {
		at := index.Position(i, shape)
		tuple := 0
		for c, n := range indicesShape[:last] {
			tuple = tuple*n + at[c]
		}
		from := 0
		for c, n := range d {
			v := 0
			switch {
			case c < batch:
				v = at[c]
			case c < batch+k:
				if v = int(indices[tuple*k+c-batch]); v < 0 {
					v += n
				}
			default:
				v = at[last+c-batch-k]
			}
			from = from*n + v
		}
		out[i] = layertest.Element(data, from)
	}
	return shape, out
}

func attributesOf(batch int) layertest.Attributes {
	return layertest.Attributes{"batch_dims", fmt.Sprint(batch)}
}

// check compares both versions of the layer with the reference.
func check(t *testing.T, data, indices *ir.Tensor, values []int64, batch int) {
	t.Helper()
	shape, want := reference(data, indices.Shape(), values, batch)
	layertest.CheckElements(t, layertest.Find(t, Ops, 8), attributesOf(batch), shape, want, data, indices)
	merged := slices.Concat(ir.Shape{shape[:batch].Elements()}, shape[batch:])
	if batch == 0 {
		merged = shape
	}
	layertest.CheckElements(t, layertest.Find(t, Ops, 5), attributesOf(batch), merged, want, data, indices)
}

func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	types := layertest.Types()
	indexTypes := []ir.ElementType{ir.I32, ir.I64, ir.I8, ir.I16, ir.U8, ir.U16, ir.U32, ir.U64}
	for i := range 3000 {
		data := make(ir.Shape, 1+rng.IntN(4))
		for k := range data {
			data[k] = rng.IntN(6)
		}
		batch := rng.IntN(len(data))
		k := rng.IntN(len(data) - batch + 1)
		shape := append(ir.Shape(nil), data[:batch]...)
		for range rng.IntN(3) {
			shape = append(shape, rng.IntN(5))
		}
		for _, n := range data[batch : batch+k] {
			if n == 0 {
				shape = append(shape, 0)
				break
			}
		}
		shape = append(shape, k)
		indexType := indexTypes[i%len(indexTypes)]
		values := make([]int64, shape.Elements())
		for j := range values {
			n := data[batch+j%k]
			if values[j] = int64(rng.IntN(2*n) - n); values[j] < 0 && indexType.Kind() == ir.KindUnsigned {
				values[j] += int64(n)
			}
		}
		check(t, layertest.Counted(t, types[i%len(types)], data...), layertest.Ints(t, indexType, shape, values...), values, batch)
	}
}

// TestLarge has enough elements for several threads.
func TestLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		data, indices ir.Shape
		batch         int
	}{
		{ir.Shape{300, 200}, ir.Shape{2000, 1}, 0},
		{ir.Shape{300, 200}, ir.Shape{200000, 2}, 0},
		{ir.Shape{4, 30, 20, 50}, ir.Shape{4, 1500, 2}, 1},
	} {
		k := c.indices[len(c.indices)-1]
		values := make([]int64, c.indices.Elements())
		for i := range values {
			n := c.data[c.batch+i%k]
			values[i] = int64(rng.IntN(2*n) - n)
		}
		check(t, layertest.Counted(t, ir.I32, c.data...), layertest.Ints(t, ir.I32, c.indices, values...), values, c.batch)
	}
}

func TestIndexError(t *testing.T) {
	beyond, err := ir.TensorOf(ir.U64, ir.Shape{2}, []uint64{0, math.MaxUint64})
	require.NoError(t, err)
	for _, c := range []struct {
		indices *ir.Tensor
		want    string
	}{
		{layertest.Ints(t, ir.I64, ir.Shape{1, 1}, 3), "index 3 at position [0 0] is outside [-3,2]"},
		{layertest.Ints(t, ir.I32, ir.Shape{2, 1}, -3, -4), "index -4 at position [1 0] is outside [-3,2]"},
		{layertest.Ints(t, ir.I32, ir.Shape{1, 2}, 0, 5), "index 5 at position [0 1] is outside [-4,3]"},
		{layertest.Ints(t, ir.I8, ir.Shape{2, 2}, 0, 3, 0, 4), "index 4 at position [1 1] is outside [-4,3]"},
		{layertest.Ints(t, ir.I32, ir.Shape{1}, 1e9), "index 1000000000 at position [0] is outside [-3,2]"},
		{layertest.Ints(t, ir.I32, ir.Shape{1}, -1e9), "index -1000000000 at position [0] is outside [-3,2]"},
		{layertest.Ints(t, ir.I64, ir.Shape{1}, 1<<32), "index 4294967296 at position [0] is outside [-3,2]"},
		{layertest.Ints(t, ir.I64, ir.Shape{1}, math.MinInt64), "index -9223372036854775808 at position [0] is outside [-3,2]"},
		{layertest.Ints(t, ir.U32, ir.Shape{1}, math.MaxUint32), "index 4294967295 at position [0] is outside [-3,2]"},
		{beyond, "index 18446744073709551615 at position [1] is outside [-4,3]"},
	} {
		for _, elementType := range []ir.ElementType{ir.F32, ir.U4, ir.String} {
			_, err := layertest.Run(&Ops[1], nil, 1, layertest.Counted(t, elementType, 3, 4), c.indices)
			require.EqualError(t, err, c.want)
			var at *ops.IndexError
			require.True(t, errors.As(err, &at))
		}
	}
	_, err = layertest.Run(&Ops[1], attributesOf(1), 1, layertest.Counted(t, ir.F32, 2, 0), layertest.Ints(t, ir.I64, ir.Shape{2, 1}, 0, 0))
	assert.EqualError(t, err, "index 0 at position [0 0] points into an axis of length 0")
	_, err = layertest.Run(&Ops[1], attributesOf(1), 1, layertest.Counted(t, ir.F32, 2, 3), layertest.Ints(t, ir.I64, ir.Shape{2, 1}, 2, 3))
	assert.EqualError(t, err, "index 3 at position [1 0] is outside [-3,2]", "and not the first of the next batch")
}

// TestEmptyRows has rows without elements. Indices are checked as for any rows, and tuples without
// indices take neither memory nor time, however many there are.
func TestEmptyRows(t *testing.T) {
	_, err := layertest.Run(&Ops[1], nil, 1, layertest.Counted(t, ir.F32, 3, 0), layertest.Ints(t, ir.I64, ir.Shape{2, 1}, 2, 3))
	assert.EqualError(t, err, "index 3 at position [1 0] is outside [-3,2]")

	const many = 1 << 24
	for _, elementType := range []ir.ElementType{ir.F32, ir.U4, ir.String} {
		for _, indexType := range []ir.ElementType{ir.I32, ir.I64, ir.U8} {
			kernel, r, err := layertest.Prepare(&Ops[1], nil, 1, layertest.Counted(t, elementType, 3, 0), layertest.Ints(t, indexType, ir.Shape{many, 0}))
			require.NoError(t, err)
			defer r.Pool.Close()
			require.Zero(t, len(r.Scratch))
			require.NoError(t, kernel(r))
			assert.Equal(t, ir.Shape{many, 3, 0}, r.Outputs[0].Shape())
		}
	}
	_, err = layertest.Run(&Ops[1], nil, 1, layertest.Counted(t, ir.F32, 0), layertest.Ints(t, ir.I64, ir.Shape{math.MaxInt / 4, 0}))
	assert.NoError(t, err)
}

// TestGatherOfAll checks that the tuples of all positions select all of data.
func TestGatherOfAll(t *testing.T) {
	data := layertest.Counted(t, ir.F64, 3, 4, 2)
	for k := 1; k <= 3; k++ {
		shape := append(append(ir.Shape(nil), data.Shape()[:k]...), k)
		var values []int64
		for i := range ir.Shape(shape[:k]).Elements() {
			for c, v := range index.Position(i, shape[:k]) {
				values = append(values, int64(v-i%2*shape[c])) // every other index is negative
			}
		}
		got, err := layertest.Run(&Ops[1], nil, 1, data, layertest.Ints(t, ir.I64, shape, values...))
		require.NoError(t, err)
		assert.Equal(t, data.Shape(), got.Shape())
		assert.Equal(t, data.Bytes(), got.Bytes())
	}
}

func TestKernel_allocations(t *testing.T) {
	layertest.CheckAllocations(t, &Ops[1], nil, layertest.Counted(t, ir.F32, 300, 300), layertest.Ints(t, ir.U8, ir.Shape{2, 2}, 5, 250, 0, 0))
}

func FuzzKernel(f *testing.F) {
	f.Add(uint8(2), []byte{2, 3, 4}, uint8(0), uint8(1), []byte{0, 1, 1, 1})
	f.Add(uint8(5), []byte{2, 3, 4}, uint8(1), uint8(2), []byte{2, 3, 0, 0})
	f.Add(uint8(25), []byte{0, 2}, uint8(0), uint8(0), []byte{})
	f.Fuzz(func(t *testing.T, elementType uint8, dims []byte, batch, k uint8, indices []byte) {
		types := layertest.Types()
		data := make(ir.Shape, min(len(dims), 5))
		for i := range data {
			data[i] = int(dims[i] % 6)
		}
		if len(data) == 0 || len(indices) > 200 {
			return
		}
		b := int(batch) % len(data)
		tuple := int(k) % (len(data) - b + 1)
		shape := append(ir.Shape(nil), data[:b]...)
		if n := shape.Elements() * max(tuple, 1); n > 0 {
			shape = append(shape, len(indices)/n)
		}
		shape = append(shape, tuple)
		values := make([]int64, shape.Elements())
		bad := -1
		for i := range values {
			n := int64(data[b+i%tuple])
			if values[i] = int64(int8(indices[i])); bad < 0 && (values[i] < -n || values[i] >= n) {
				bad = i
			}
		}
		x, ids := layertest.Counted(t, types[int(elementType)%len(types)], data...), layertest.Ints(t, ir.I64, shape, values...)
		if bad < 0 {
			check(t, x, ids, values, b)
			return
		}
		_, err := layertest.Run(&Ops[1], attributesOf(b), 1, x, ids)
		var at *ops.IndexError
		require.True(t, errors.As(err, &at), "%v", err)
		assert.Equal(t, index.Position(bad, shape), at.Position)
		assert.Equal(t, values[bad], at.Value)
	})
}
