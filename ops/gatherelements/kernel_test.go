package gatherelements

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

// axisOf returns the attributes of a layer.
func axisOf(axis int64) layertest.Attributes { return layertest.Attributes{"axis", fmt.Sprint(axis)} }

// source returns the index in data of each element of the output, coordinate by coordinate.
func source(dataShape, indicesShape []int, axis int, indices []int64) []int {
	from := make([]int, len(indices))
	for i, v := range indices {
		at := index.Position(i, indicesShape)
		if v < 0 {
			v += int64(dataShape[axis])
		}
		at[axis] = int(v)
		for k, n := range dataShape {
			from[i] = from[i]*n + at[k]
		}
	}
	return from
}

// randomCase returns shapes that fit each other, and the values of indices.
func randomCase(r *rand.Rand, negative bool) (data, indices []int, axis int, values []int64) {
	rank := 1 + r.IntN(5)
	longest := []int{600, 70, 20, 9, 6}[rank-1]
	data = make([]int, rank)
	for i := range data {
		data[i] = 1 + r.IntN(longest)
	}
	axis = r.IntN(rank)
	indices = slices.Clone(data)
	indices[axis] = r.IntN(2 * longest)
	values = make([]int64, ir.Shape(indices).Elements())
	d := data[axis]
	for i := range values {
		values[i] = int64(r.IntN(d))
		if negative && r.IntN(4) == 0 {
			values[i] -= int64(d)
		}
	}
	return data, indices, axis, values
}

// fill returns a tensor of distinct elements, if the type has that many values.
func fill(t testing.TB, et ir.ElementType, shape []int) *ir.Tensor {
	x, err := ir.NewTensor(et, shape...)
	require.NoError(t, err)
	for i := range x.Len() {
		switch size := et.Size(); {
		case et == ir.String:
			x.Strings()[i] = fmt.Sprint("element ", i)
		case size == 0:
			x.SetPacked(i, uint8(i*5+i/7))
		default:
			for b := range size {
				x.Bytes()[i*size+b] = byte((i + b*77) >> (8 * min(b, 3)))
			}
		}
	}
	return x
}

// elements returns the elements of data at the given positions.
func elements(data *ir.Tensor, positions []int) []string {
	all := make([]string, len(positions))
	for i, from := range positions {
		all[i] = layertest.Element(data, from)
	}
	return all
}

func TestLayerAgainstCoordinates(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, et := range layertest.Types() {
		for round := range 20 {
			dataShape, indicesShape, axis, values := randomCase(r, true)
			data := fill(t, et, dataShape)
			it := []ir.ElementType{ir.I32, ir.I64}[round%2]
			indices, err := ir.TensorOfInts(it, indicesShape, values)
			require.NoError(t, err)
			given := int64(axis)
			if round%3 == 0 {
				given -= int64(len(dataShape))
			}
			want := elements(data, source(dataShape, indicesShape, axis, values))
			layertest.CheckElements(t, &Ops[0], axisOf(given), indicesShape, want, data, indices)
		}
	}
}

func TestLayerSpareBits(t *testing.T) {
	data := fill(t, ir.U4, []int{3})
	indices, err := ir.TensorOf(ir.I32, []int{3}, []int32{2, 0, 1})
	require.NoError(t, err)
	out, err := layertest.Run(&Ops[0], axisOf(0), 1, data, indices)
	require.NoError(t, err)
	assert.Zero(t, out.Bytes()[1]>>4, "the half byte that no element has")
}

// TestLayerIndices has cases in which frameworks differ, read beyond their buffers or crash.
func TestLayerIndices(t *testing.T) {
	const d = 3
	for _, c := range []struct {
		name  string
		shape []int
		axis  int64
		it    ir.ElementType
		index []int64
		want  []byte
		err   string
	}{
		{name: "negative", shape: []int{d}, index: []int64{-1, -3}, want: []byte{2, 0}},
		{name: "duplicates", shape: []int{d}, index: []int64{1, 1, 1, 1}, want: []byte{1, 1, 1, 1}},
		{name: "just past the end", shape: []int{d}, index: []int64{0, d}, err: "index 3 at position [1] is outside [-3,2]"},
		{name: "just before the start", shape: []int{d}, index: []int64{0, -d - 1}, err: "index -4 at position [1] is outside [-3,2]"},
		{name: "far beyond", shape: []int{d}, index: []int64{1e9}, err: "index 1000000000 at position [0] is outside [-3,2]"},
		{name: "far before", shape: []int{d}, index: []int64{-1e9}, err: "index -1000000000 at position [0] is outside [-3,2]"},
		{name: "i32 limits", shape: []int{d}, index: []int64{math.MinInt32}, err: "index -2147483648 at position [0] is outside [-3,2]"},
		{name: "in another row", shape: []int{d, 3}, axis: 1, index: []int64{0, 5, 0, 0, 0, 0, 0, 0, 0}, err: "index 5 at position [0 1] is outside [-3,2]"},
		{name: "in another row, axis 0", shape: []int{d, 3}, index: []int64{0, 0, 0, 0, 0, -4, 0, 0, 7}, err: "index -4 at position [1 2] is outside [-3,2]"},
		{name: "2^32 is not 0", shape: []int{d}, it: ir.I64, index: []int64{1 << 32}, err: "index 4294967296 at position [0] is outside [-3,2]"},
		{name: "-2^32 is not 0", shape: []int{d}, it: ir.I64, index: []int64{-1 << 32}, err: "index -4294967296 at position [0] is outside [-3,2]"},
		{name: "-2^63", shape: []int{d}, it: ir.I64, index: []int64{math.MinInt64}, err: "index -9223372036854775808 at position [0] is outside [-3,2]"},
		{name: "2^63-1", shape: []int{d}, it: ir.I64, index: []int64{math.MaxInt64}, err: "index 9223372036854775807 at position [0] is outside [-3,2]"},
		{name: "no indices", shape: []int{d}, want: []byte{}},
		{name: "nothing of nothing", shape: []int{0}, want: []byte{}},
		{name: "empty axis", shape: []int{0}, index: []int64{0}, err: "index 0 at position [0] points into an axis of length 0"},
		{name: "empty axis 0", shape: []int{0, 2}, index: []int64{0, 0}, err: "index 0 at position [0 0] points into an axis of length 0"},
		{name: "empty off the axis", shape: []int{0, d}, axis: 1, want: []byte{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.it == ir.Dynamic {
				c.it = ir.I32
			}
			off := 1
			for i, n := range c.shape {
				if i != int(c.axis) {
					off *= n
				}
			}
			shape := slices.Clone(c.shape)
			shape[c.axis] = len(c.index) / max(off, 1)
			for _, et := range []ir.ElementType{ir.U8, ir.U4, ir.F16, ir.F32, ir.I64, ir.String} {
				indices, err := ir.TensorOfInts(c.it, shape, c.index)
				require.NoError(t, err)
				data := fill(t, et, c.shape)
				out, err := layertest.Run(&Ops[0], axisOf(c.axis), 2, data, indices)
				if c.err != "" {
					var at *ops.IndexError
					require.True(t, errors.As(err, &at), "%v", err)
					assert.EqualError(t, err, c.err)
					continue
				}
				require.NoError(t, err)
				for i, from := range c.want {
					assert.Equal(t, layertest.Element(data, int(from)), layertest.Element(out, i))
				}
			}
		})
	}
}

// TestLayerEmptyAxis has no data, and indices for which a kernel in assembly is picked.
func TestLayerEmptyAxis(t *testing.T) {
	for _, c := range []struct {
		data, indices []int
		axis          int64
		at            string
	}{
		{[]int{0}, []int{200}, 0, "[0]"}, {[]int{0, 200}, []int{1, 200}, 0, "[0 0]"}, {[]int{3, 0}, []int{3, 200}, 1, "[0 0]"},
	} {
		for _, indexType := range []ir.ElementType{ir.I32, ir.I64} {
			_, err := layertest.Run(&Ops[0], axisOf(c.axis), 2, fill(t, ir.F32, c.data), layertest.Numbers(t, indexType, c.indices))
			assert.EqualError(t, err, "index 0 at position "+c.at+" points into an axis of length 0")
		}
	}
}

// TestLayerFirstError checks that threads do not change which error is reported.
func TestLayerFirstError(t *testing.T) {
	for axis, at := range map[int64]string{0: "[70 900]", 1: "[70 900]"} {
		values := make([]int64, 1000*1000)
		values[70*1000+900] = 5000
		values[71*1000+3] = -5000
		values[999*1000+3] = 1 << 30
		indices, err := ir.TensorOfInts(ir.I32, []int{1000, 1000}, values)
		require.NoError(t, err)
		for threads := 1; threads <= 3; threads++ {
			_, err = layertest.Run(&Ops[0], axisOf(axis), threads, fill(t, ir.F32, []int{1000, 1000}), indices)
			assert.EqualError(t, err, "index 5000 at position "+at+" is outside [-1000,999]")
		}
	}
}

func TestLayerRefuses(t *testing.T) {
	indices, err := ir.NewTensor(ir.I32, 3, 2)
	require.NoError(t, err)
	_, err = layertest.Run(&Ops[0], layertest.Attributes{"axis", "0"}, 1, fill(t, ir.F32, []int{2, 3}), indices)
	assert.EqualError(t, err, "indices [3,2] and data [2,3] differ off axis 0")
}

func TestKernel_allocations(t *testing.T) {
	layertest.CheckAllocations(t, &Ops[0], layertest.Attributes{"axis", "0"}, fill(t, ir.F32, []int{8, 16}), layertest.Numbers(t, ir.I32, ir.Shape{4, 16}))
}
