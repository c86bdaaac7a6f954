package gather

import (
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
)

// reference computes the output coordinate by coordinate.
func reference(data *ir.Tensor, indices []int64, indicesShape ir.Shape, axis, batch int, negative bool) (ir.Shape, []string) {
	d := data.Shape()
	shape := slices.Concat(d[:axis], indicesShape[batch:], d[axis+1:])
	zero, _ := ir.NewTensor(data.ElementType(), 1)
	out := make([]string, shape.Elements())
	for i := range out {
		at := index.Position(i, shape)
		q := len(indicesShape) - batch
		position := 0
		for k, n := range indicesShape {
			c := at[k]
			if k >= batch {
				c = at[axis+k-batch]
			}
			position = position*n + c
		}
		v := indices[position]
		if negative && v < 0 {
			v += int64(d[axis])
		}
		if v < 0 || v >= int64(d[axis]) {
			out[i] = layertest.Element(zero, 0)
			continue
		}
		from := 0
		for k, n := range d {
			c := int(v)
			if k < axis {
				c = at[k]
			} else if k > axis {
				c = at[k+q-1]
			}
			from = from*n + c
		}
		out[i] = layertest.Element(data, from)
	}
	return shape, out
}

func attributesFor(version, batch int) layertest.Attributes {
	if version == 1 {
		return nil
	}
	return layertest.Attributes{"batch_dims", fmt.Sprint(batch)}
}

// compare compares a layer with the reference.
func compare(t *testing.T, version int, data *ir.Tensor, indexType ir.ElementType, indices []int64, indicesShape ir.Shape, axis, batch int) {
	t.Helper()
	shape, want := reference(data, indices, indicesShape, axis, batch, version == 8)
	layertest.CheckElements(t, layertest.Find(t, Ops, version), attributesFor(version, batch), shape, want,
		data, layertest.Ints(t, indexType, indicesShape, indices...), layertest.Ints(t, ir.I32, nil, int64(axis)))
}

func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	types := layertest.Types()
	indexTypes := []ir.ElementType{ir.I32, ir.I64, ir.I8, ir.I16, ir.U8, ir.U16, ir.U32, ir.U64}
	for i := range 3000 {
		version := []int{1, 7, 8}[rng.IntN(3)]
		rank := 1 + rng.IntN(4)
		data := make([]int, rank)
		for k := range data {
			data[k] = rng.IntN(6)
		}
		axis, batch := rng.IntN(rank), 0
		if version > 1 {
			batch = rng.IntN(axis + 1)
		}
		shape := append([]int(nil), data[:batch]...)
		for range rng.IntN(3) {
			shape = append(shape, rng.IntN(5))
		}
		indexType := indexTypes[i%len(indexTypes)]
		indices := make([]int64, ir.Shape(shape).Elements())
		for k := range indices {
			if indices[k] = int64(rng.IntN(20) - 8); indexType.Kind() == ir.KindUnsigned {
				indices[k] += 8
			}
		}
		compare(t, version, layertest.Counted(t, types[i%len(types)], data...), indexType, indices, shape, axis, batch)
	}
}

// TestLarge has enough elements for several threads.
func TestLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		data, indices []int
		axis          int
	}{
		{[]int{500, 300}, []int{2000}, 0},
		{[]int{3, 70000}, []int{60000}, 1},
		{[]int{50000, 3}, []int{}, 1},
		{[]int{20000, 7}, []int{1}, 0},
	} {
		indices := make([]int64, ir.Shape(c.indices).Elements())
		for i := range indices {
			indices[i] = int64(rng.IntN(2*c.data[c.axis])) - int64(c.data[c.axis])
		}
		compare(t, 8, layertest.Counted(t, ir.I32, c.data...), ir.I64, indices, c.indices, c.axis, 0)
	}
}

// TestUnaligned has data that is aligned for its elements, but not for a row as one unit.
func TestUnaligned(t *testing.T) {
	raw := layertest.Counted(t, ir.U8, 33)
	data, err := ir.TensorOf(ir.U8, ir.Shape{8, 4}, raw.Bytes()[1:])
	require.NoError(t, err)
	compare(t, 8, data, ir.I32, []int64{7, 0, -1, 9}, ir.Shape{4}, 0, 0)
}

// TestIndices has indices at the limits of an axis and of the types. None is an error.
func TestIndices(t *testing.T) {
	data := []int64{10, 20, 30}
	for _, c := range []struct {
		version int
		t       ir.ElementType
		index   int64
		want    int64
	}{
		{8, ir.I64, 2, 30}, {8, ir.I64, -1, 30}, {8, ir.I64, -3, 10}, {8, ir.I64, 3, 0}, {8, ir.I64, -4, 0},
		{8, ir.I32, 1e9, 0}, {8, ir.I32, -1e9, 0}, {8, ir.I64, 1 << 32, 0}, {8, ir.I64, math.MinInt64, 0},
		{8, ir.I64, math.MaxInt64, 0}, {8, ir.U32, math.MaxUint32, 0}, {8, ir.U8, 255, 0}, {8, ir.I8, -1, 30},
		{7, ir.I64, 2, 30}, {7, ir.I64, -1, 0}, {7, ir.I64, 3, 0}, {7, ir.I32, -3, 0},
		{1, ir.I64, 0, 10}, {1, ir.I64, -1, 0}, {1, ir.I32, 3, 0}, {1, ir.Boolean, 1, 20},
	} {
		got, err := layertest.Run(layertest.Find(t, Ops, c.version), nil, 1,
			layertest.Ints(t, ir.I64, ir.Shape{3}, data...), layertest.Ints(t, c.t, nil, c.index), layertest.Ints(t, ir.I64, ir.Shape{1}, 0))
		require.NoError(t, err)
		assert.Equal(t, []int64{c.want}, ir.Data[int64](got), "Gather-%d index %d %v", c.version, c.index, c.t)
	}

	beyond, err := ir.TensorOf(ir.U64, nil, []uint64{math.MaxUint64})
	require.NoError(t, err)
	got, err := layertest.Run(layertest.Find(t, Ops, 8), nil, 1, layertest.Ints(t, ir.I64, ir.Shape{3}, data...), beyond, layertest.Ints(t, ir.I64, nil, 0))
	require.NoError(t, err)
	assert.Equal(t, []int64{0}, ir.Data[int64](got), "the bits of -1 are no -1")

	// Indices of 4 bits, an empty string and false.
	packed := layertest.Counted(t, ir.I4, 2)
	packed.SetPacked(0, 0xf) // -1
	packed.SetPacked(1, 0x8) // -8
	got, err = layertest.Run(layertest.Find(t, Ops, 8), nil, 1, layertest.Counted(t, ir.String, 2), packed, layertest.Ints(t, ir.I64, nil, 0))
	require.NoError(t, err)
	assert.Equal(t, []string{"element 1", ""}, got.Strings())
	got, err = layertest.Run(layertest.Find(t, Ops, 8), nil, 1, layertest.Ints(t, ir.Boolean, ir.Shape{1}, 1), layertest.Ints(t, ir.I64, ir.Shape{2}, 0, 1), layertest.Ints(t, ir.I64, nil, 0))
	require.NoError(t, err)
	assert.Equal(t, []byte{1, 0}, got.Bytes())
}

// TestScratch checks that only indices that must be widened need memory.
func TestScratch(t *testing.T) {
	for elementType, want := range map[ir.ElementType]int{ir.I32: 0, ir.I64: 0, ir.I8: 3 * 8, ir.U64: 3 * 8} {
		_, r, err := layertest.Prepare(layertest.Find(t, Ops, 8), nil, 1, layertest.Counted(t, ir.F32, 5), layertest.Ints(t, elementType, ir.Shape{3}, 0, 1, 2), layertest.Ints(t, ir.I64, nil, 0))
		require.NoError(t, err)
		r.Pool.Close()
		assert.Len(t, r.Scratch, want, "%v", elementType)
	}
}

func TestEmptyAxis(t *testing.T) {
	compare(t, 8, layertest.Counted(t, ir.F32, 0, 3), ir.I64, []int64{0, -1, 5}, ir.Shape{3}, 0, 0)
	compare(t, 8, layertest.Counted(t, ir.F32, 2, 3), ir.I64, nil, ir.Shape{0}, 0, 0)
	compare(t, 7, layertest.Counted(t, ir.U4, 0), ir.I64, []int64{0, -1, 5}, ir.Shape{3}, 0, 0)
}

func TestPrepare_refused(t *testing.T) {
	op := layertest.Find(t, Ops, 1)
	axis := layertest.Ints(t, ir.I64, nil, 0)
	_, err := layertest.Run(op, nil, 1, layertest.Counted(t, ir.F32, 3), layertest.Counted(t, ir.F32, 3), axis)
	assert.EqualError(t, err, "Gather-1 has no kernel for input 1 of type f32, only for [i8 i16 i32 i64 u8 u16 u32 u64 u1 u2 u3 u4 u6 i4 boolean]")
	_, err = layertest.Run(op, nil, 1, layertest.Counted(t, ir.F32, 3), layertest.Counted(t, ir.I32, 3), layertest.Ints(t, ir.I64, nil, 1))
	assert.EqualError(t, err, "axis 1 is outside [-1,0] for rank 1")
}

func FuzzKernel(f *testing.F) {
	f.Add(uint8(2), []byte{2, 3, 4}, uint8(1), uint8(0), []byte{0, 1, 255, 3}, uint8(8))
	f.Add(uint8(7), []byte{2, 3}, uint8(1), uint8(1), []byte{0, 1}, uint8(7))
	f.Add(uint8(25), []byte{0}, uint8(0), uint8(0), []byte{9}, uint8(1))
	f.Fuzz(func(t *testing.T, elementType uint8, dims []byte, axis, batch uint8, indices []byte, version uint8) {
		types := layertest.Types()
		data := make([]int, min(len(dims), 5))
		for i := range data {
			data[i] = int(dims[i] % 5)
		}
		if len(data) == 0 {
			return
		}
		a := int(axis) % len(data)
		v := []int{1, 7, 8}[version%3]
		b := 0
		if v > 1 {
			b = int(batch) % (a + 1)
		}
		shape := append([]int(nil), data[:b]...)
		n := ir.Shape(shape).Elements()
		if n > 0 {
			shape = append(shape, len(indices)/n)
		}
		ids := make([]int64, ir.Shape(shape).Elements())
		for i := range ids {
			ids[i] = int64(int8(indices[i]))
		}
		compare(t, v, layertest.Counted(t, types[int(elementType)%len(types)], data...), ir.I32, ids, shape, a, b)
	})
}
