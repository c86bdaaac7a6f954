package scatterelements

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"github.com/vinoir/vinoir/ir"
)

func TestONNXVersions(t *testing.T) {
	allowed := map[int][]string{
		9: {"", "none"}, 11: {"", "none"}, 13: {"", "none"},
		16: {"", "none", "add", "mul"}, 18: {"", "none", "add", "mul", "max", "min"}, 0: {"", "none", "add", "mul", "max", "min"},
	}
	for version, reductions := range allowed {
		for _, f := range []string{"", "none", "add", "mul", "max", "min"} {
			_, err := ONNX(Options{Version: version, Reduction: f}, []int8{1}, []int{1}, []int64{0}, []int{1}, []int8{2}, []int{1})
			if slices.Contains(reductions, f) {
				assert.NoError(t, err, "%d %s", version, f)
			} else {
				assert.ErrorContains(t, err, "has no reduction", "%d %s", version, f)
			}
		}
		_, err := ONNX(Options{Version: version}, []ir.BFloat16{1}, []int{1}, []int64{0}, []int{1}, []ir.BFloat16{2}, []int{1})
		assert.Equal(t, version == 9 || version == 11, err != nil, "bfloat16 in %d", version)
	}
	_, err := ONNX(Options{Version: 12}, []int8{1}, []int{1}, []int64{0}, []int{1}, []int8{2}, []int{1})
	assert.EqualError(t, err, "version 12 is none of 9, 11, 13, 16, 18")
	_, err = ONNX(Options{Reduction: "sum"}, []int8{1}, []int{1}, []int64{0}, []int{1}, []int8{2}, []int{1})
	assert.EqualError(t, err, `reduction "sum" is none of none, add, mul, max, min`)
}

func TestONNXErrors(t *testing.T) {
	for _, c := range []struct {
		name                         string
		data, indices, updates       []int
		dataLen, indicesLen, updsLen int
		axis                         int
		index                        int64
		err                          string
	}{
		{name: "scalar", data: []int{}, indices: []int{}, updates: []int{}, dataLen: 1, indicesLen: 1, updsLen: 1, err: "data is a scalar, rank 1 or more is needed"},
		{name: "rank", data: []int{2, 2}, indices: []int{1}, updates: []int{1}, dataLen: 4, indicesLen: 1, updsLen: 1, err: "indices [1] and data [2,2] differ in rank"},
		{name: "updates", data: []int{2, 2}, indices: []int{1, 2}, updates: []int{1, 3}, dataLen: 4, indicesLen: 2, updsLen: 3, err: "indices are [1 2], updates are [1 3]"},
		{name: "off the axis", data: []int{2, 2}, indices: []int{1, 3}, updates: []int{1, 3}, dataLen: 4, indicesLen: 3, updsLen: 3,
			err: "indices [1 3] are longer than data [2 2] along axis 1, and not only along axis 0"},
		{name: "axis", data: []int{2}, indices: []int{1}, updates: []int{1}, dataLen: 2, indicesLen: 1, updsLen: 1, axis: 1, err: "axis 1 is outside [-1,0] for rank 1"},
		{name: "index", data: []int{2}, indices: []int{1}, updates: []int{1}, dataLen: 2, indicesLen: 1, updsLen: 1, index: 2, err: "index 2 at position [0] is outside [-2,1]"},
		{name: "negative index", data: []int{2}, indices: []int{1}, updates: []int{1}, dataLen: 2, indicesLen: 1, updsLen: 1, index: -3, err: "index -3 at position [0] is outside [-2,1]"},
		{name: "data", data: []int{2}, indices: []int{1}, updates: []int{1}, dataLen: 3, indicesLen: 1, updsLen: 1, err: "data: shape [2] needs 2 elements, the data has 3"},
		{name: "indices", data: []int{2}, indices: []int{1}, updates: []int{1}, dataLen: 2, indicesLen: 2, updsLen: 1, err: "indices: shape [1] needs 1 elements, the data has 2"},
		{name: "short updates", data: []int{2}, indices: []int{1}, updates: []int{1}, dataLen: 2, indicesLen: 1, updsLen: 0, err: "updates: shape [1] needs 1 elements, the data has 0"},
		{name: "negative length", data: []int{-2}, indices: []int{1}, updates: []int{1}, dataLen: 2, indicesLen: 1, updsLen: 1, err: "data: shape [-2]: dimension 0 is negative"},
	} {
		t.Run(c.name, func(t *testing.T) {
			indices := make([]int64, c.indicesLen)
			for i := range indices {
				indices[i] = c.index
			}
			_, err := ONNX(Options{Axis: c.axis}, make([]float32, c.dataLen), c.data, indices, c.indices, make([]float32, c.updsLen), c.updates)
			assert.EqualError(t, err, c.err)
		})
	}
	err := ONNXInto(Options{}, make([]int8, 1), make([]int8, 2), []int{2}, []int32{0}, []int{1}, []int8{1}, []int{1})
	assert.EqualError(t, err, "out: shape [2] needs 2 elements, the data has 1")
	_, err = ONNX(Options{Reduction: "add"}, []string{"a"}, []int{1}, []int32{0}, []int{1}, []string{"b"}, []int{1})
	assert.EqualError(t, err, "reduction sum is not defined for string")
	_, err = ONNX(Options{Reduction: "max"}, []complex64{1}, []int{1}, []int32{0}, []int{1}, []complex64{1}, []int{1})
	assert.EqualError(t, err, "reduction max is not defined for complex64")
}

func TestTorchErrors(t *testing.T) {
	self := make([]float32, 6)
	shape := []int{2, 3}
	scatter := func(dim int, index []int64, indexShape []int, src []float32, srcShape []int) error {
		return TorchScatter(self, self, shape, dim, index, indexShape, src, srcShape, "")
	}
	assert.EqualError(t, scatter(1, []int64{0, -1}, []int{1, 2}, self[:2], []int{1, 2}), "index -1 at position [0 1] is outside [0,2]")
	assert.EqualError(t, scatter(1, []int64{0, 3}, []int{1, 2}, self[:2], []int{1, 2}), "index 3 at position [0 1] is outside [0,2]")
	assert.EqualError(t, scatter(2, []int64{0}, []int{1, 1}, self[:1], []int{1, 1}), "axis 2 is outside [-2,1] for rank 2")
	assert.EqualError(t, scatter(2, nil, []int{0}, nil, []int{0}), "axis 2 is outside [-2,1] for rank 2")
	assert.EqualError(t, scatter(0, []int64{0}, []int{1}, self[:1], []int{1}), "indices [1] and data [2,3] differ in rank")
	assert.EqualError(t, scatter(0, []int64{0}, []int{1, 1}, self[:1], []int{1}), "updates [1] and indices [1,1] differ in rank")
	assert.EqualError(t, scatter(0, []int64{0, 0}, []int{2, 1}, self[:1], []int{1, 1}), "indices [2 1] are longer than updates [1 1] along axis 0")
	assert.EqualError(t, scatter(1, []int64{0, 0, 0}, []int{3, 1}, self[:3], []int{3, 1}),
		"indices [3 1] are longer than data [2 3] along axis 0, and not only along axis 1")
	assert.NoError(t, scatter(1, nil, []int{5, 0, 7}, self[:1], []int{1}), "no index is no change, whatever the shapes")

	err := TorchScatter(self, self, shape, 0, []int32{0}, []int{1, 1}, self[:1], []int{1, 1}, "sum")
	assert.EqualError(t, err, `reduce "sum" is none of add, multiply`)
	err = TorchScatterValue(self, self, shape, 0, []int32{0}, []int{1, 1}, 1, "mean")
	assert.EqualError(t, err, `reduce "mean" is none of add, multiply`)
	err = TorchScatterReduce(self, self, shape, 0, []int32{0}, []int{1, 1}, self[:1], []int{1, 1}, "max", true)
	assert.EqualError(t, err, `reduce "max" is none of sum, prod, mean, amax, amin`)
}

// TestTorchScalars has scalars, which count as vectors of one element.
func TestTorchScalars(t *testing.T) {
	self := []int64{3}
	require.NoError(t, TorchScatterAdd(self, self, []int{}, -1, []int64{0}, []int{}, []int64{4}, []int{}))
	assert.Equal(t, []int64{7}, self)
	self = []int64{3, 4}
	require.NoError(t, TorchScatterValue(self, self, []int{2}, 0, []int64{1}, []int{}, 9, ""))
	assert.Equal(t, []int64{3, 9}, self)
}

// TestTorchScatterValue_blocks has more indices than a block, and so more than there are copies of
// the value.
func TestTorchScatterValue_blocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const value = 3
	for _, shape := range [][]int{{3*blockLength + 7}, {3, blockLength + 5}, {blockLength + 5, 3}, {5, 4, 2 * blockLength}} {
		for dim, length := range shape {
			inner := ir.Shape(shape[dim+1:]).Elements()
			self := make([]int32, ir.Shape(shape).Elements())
			index, set, sums := make([]int64, len(self)), make([]int32, len(self)), make([]int32, len(self))
			for i := range index {
				index[i] = int64(rng.IntN(length))
				to := i/(length*inner)*length*inner + int(index[i])*inner + i%inner
				set[to] = value
				sums[to] += value
			}
			got := make([]int32, len(self))
			require.NoError(t, TorchScatterValue(got, self, shape, dim, index, shape, value, ""))
			assert.Equal(t, set, got, "%v along %d", shape, dim)
			require.NoError(t, TorchScatterValue(got, self, shape, dim, index, shape, value, "add"))
			assert.Equal(t, sums, got, "%v along %d", shape, dim)
		}
	}
}

// TestTypes moves elements of every type, and adds those of types that have a sum.
func TestTypes(t *testing.T) {
	testType(t, func(i int) bool { return i == 3 }, nil)
	testType(t, func(i int) int8 { return int8(i) }, func(a, b int8) int8 { return a + b })
	testType(t, func(i int) int16 { return int16(i) }, func(a, b int16) int16 { return a + b })
	testType(t, func(i int) int32 { return int32(i) }, func(a, b int32) int32 { return a + b })
	testType(t, func(i int) int64 { return int64(i) }, func(a, b int64) int64 { return a + b })
	testType(t, func(i int) uint8 { return uint8(i) }, func(a, b uint8) uint8 { return a + b })
	testType(t, func(i int) uint16 { return uint16(i) }, func(a, b uint16) uint16 { return a + b })
	testType(t, func(i int) uint32 { return uint32(i) }, func(a, b uint32) uint32 { return a + b })
	testType(t, func(i int) uint64 { return uint64(i) }, func(a, b uint64) uint64 { return a + b })
	testType(t, func(i int) float32 { return float32(i) }, func(a, b float32) float32 { return a + b })
	testType(t, func(i int) float64 { return float64(i) }, func(a, b float64) float64 { return a + b })
	testType(t, func(i int) complex64 { return complex(float32(i), 1) }, func(a, b complex64) complex64 { return a + b })
	testType(t, func(i int) complex128 { return complex(1, float64(i)) }, func(a, b complex128) complex128 { return a + b })
	testType(t, func(i int) string { return string(rune('a' + i)) }, nil)
	testType(t, func(i int) float16.Float16 { return float16.Fromfloat32(float32(i)) }, func(a, b float16.Float16) float16.Float16 {
		return float16.Fromfloat32(a.Float32() + b.Float32())
	})
	testType(t, func(i int) ir.BFloat16 { return ir.BFloat16Of(float32(i)) }, func(a, b ir.BFloat16) ir.BFloat16 {
		return ir.BFloat16Of(a.Float32() + b.Float32())
	})
}

func testType[T Element](t *testing.T, element func(int) T, add func(a, b T) T) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	const d = 12
	data, updates, indices := make([]T, d), make([]T, d), make([]int32, d)
	for i, at := range r.Perm(d) {
		data[i], updates[i], indices[i] = element(i), element(r.IntN(d)), int32(at)
	}
	want := make([]T, d)
	for i, at := range indices {
		want[at] = updates[i]
	}
	got, err := ONNX(Options{}, data, []int{d}, indices, []int{d}, updates, []int{d})
	require.NoError(t, err)
	assert.Equal(t, want, got)

	out := make([]T, d)
	require.NoError(t, TorchScatterValue(out, data, []int{d}, 0, indices[:1], []int{1}, updates[0], ""))
	for i, v := range data {
		if i == int(indices[0]) {
			v = updates[0]
		}
		assert.Equal(t, v, out[i])
	}
	if add == nil {
		return
	}
	for i, at := range indices {
		want[at] = add(data[at], updates[i])
	}
	require.NoError(t, TorchScatterAdd(data, data, []int{d}, 0, indices, []int{d}, updates, []int{d}))
	assert.Equal(t, want, data)
}
