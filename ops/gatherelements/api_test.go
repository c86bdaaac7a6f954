package gatherelements

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"github.com/vinoir/vinoir/ops"
)

func TestGatherShapes(t *testing.T) {
	every := []Rules{OpenVINO, ONNX11, ONNX13, Torch}
	for _, c := range []struct {
		name          string
		rules         []Rules
		data, indices []int
		axis          int
		index         []int64
		want          []int32
		err           string
	}{
		{name: "axis 0", rules: every, data: []int{3, 2}, indices: []int{2, 2}, index: []int64{2, 0, 1, 2}, want: []int32{4, 1, 2, 5}},
		{name: "axis -1", rules: every, data: []int{2, 3}, indices: []int{2, 2}, axis: -1, index: []int64{2, 0, 1, 1}, want: []int32{2, 0, 4, 4}},
		{name: "longer along the axis", rules: every, data: []int{2}, indices: []int{3}, index: []int64{1, 0, 1}, want: []int32{1, 0, 1}},
		{name: "shorter off the axis", rules: every[1:], data: []int{3, 3}, indices: []int{2, 2}, axis: 1, index: []int64{0, 2, 1, 0}, want: []int32{0, 2, 4, 3}},
		{name: "shorter off axis 0", rules: every[1:], data: []int{3, 3}, indices: []int{2, 2}, index: []int64{0, 2, 1, 0}, want: []int32{0, 7, 3, 1}},
		{name: "shorter off the axis, OpenVINO", rules: every[:1], data: []int{3, 3}, indices: []int{2, 3}, axis: 1, index: make([]int64, 6),
			err: "data [3 3] and indices [2 3] differ off axis 1"},
		{name: "longer off the axis", rules: every[1:], data: []int{2, 3}, indices: []int{3, 3}, axis: 1, index: make([]int64, 9),
			err: "indices [3 3] are longer than data [2 3] off axis 1"},
		{name: "negative", rules: every[:3], data: []int{3}, indices: []int{2}, index: []int64{-1, -3}, want: []int32{2, 0}},
		{name: "negative, torch", rules: every[3:], data: []int{3}, indices: []int{2}, index: []int64{0, -1}, err: "index -1 at position [1] is outside [0,2]"},
		{name: "beyond", rules: every[:3], data: []int{3}, indices: []int{2}, index: []int64{-4, 3}, err: "index -4 at position [0] is outside [-3,2]"},
		{name: "beyond, torch", rules: every[3:], data: []int{3}, indices: []int{2}, index: []int64{0, 3}, err: "index 3 at position [1] is outside [0,2]"},
		{name: "scalars", rules: every[:3], data: []int{}, indices: []int{}, index: []int64{0}, err: "data [] and indices [] must have rank 1 or more"},
		{name: "scalars, torch", rules: every[3:], data: []int{}, indices: []int{}, axis: -1, index: []int64{0}, want: []int32{0}},
		{name: "scalar index, torch", rules: every[3:], data: []int{3}, indices: []int{}, index: []int64{2}, want: []int32{2}},
		{name: "scalar beyond, torch", rules: every[3:], data: []int{}, indices: []int{}, index: []int64{1}, err: "index 1 at position [0] is outside [0,0]"},
		{name: "rank", rules: every, data: []int{2, 2}, indices: []int{2}, index: []int64{0, 0}, err: "data [2 2] and indices [2] differ in rank"},
		{name: "axis", rules: every, data: []int{2, 2}, indices: []int{1, 1}, axis: 2, index: []int64{0}, err: "axis 2 is outside [-2,1] for rank 2"},
		{name: "axis before", rules: every, data: []int{2}, indices: []int{1}, axis: -2, index: []int64{0}, err: "axis -2 is outside [-1,0] for rank 1"},
		{name: "no indices", rules: every, data: []int{2, 2}, indices: []int{0, 2}, want: []int32{}},
		{name: "no indices of another rank, torch", rules: every[3:], data: []int{2, 2}, indices: []int{0}, want: []int32{}},
		{name: "no indices of another rank", rules: every[:3], data: []int{2, 2}, indices: []int{0}, err: "data [2 2] and indices [0] differ in rank"},
		{name: "empty axis", rules: every, data: []int{0}, indices: []int{1}, index: []int64{0}, err: "index 0 at position [0] points into an axis of length 0"},
		{name: "indices of another length", rules: every, data: []int{2}, indices: []int{3}, index: []int64{0}, err: "indices of shape [3] need 3 elements, 1 are given"},
		{name: "negative length", rules: every, data: []int{2}, indices: []int{-1}, err: "indices: shape [-1]: dimension 0 is negative"},
	} {
		for _, rules := range c.rules {
			t.Run(c.name+" "+rules.String(), func(t *testing.T) {
				n := 1
				for _, d := range c.data {
					n *= d
				}
				data := make([]int32, n)
				for i := range data {
					data[i] = int32(i)
				}
				got, err := Gather(rules, data, c.data, c.index, c.indices, c.axis)
				narrow := make([]int32, len(c.index))
				for i, v := range c.index {
					narrow[i] = int32(v)
				}
				got32, err32 := Gather(rules, data, c.data, narrow, c.indices, c.axis)
				if c.err != "" {
					assert.EqualError(t, err, c.err)
					assert.EqualError(t, err32, c.err)
					return
				}
				require.NoError(t, err)
				require.NoError(t, err32)
				assert.Equal(t, c.want, got)
				assert.Equal(t, c.want, got32)
			})
		}
	}
}

func TestGatherArguments(t *testing.T) {
	_, err := Gather(OpenVINO, []int8{1, 2}, []int{3}, []int32{0}, []int{1}, 0)
	assert.EqualError(t, err, "data of shape [3] need 3 elements, 2 are given")
	_, err = Gather(Rules(9), []int8{1}, []int{1}, []int32{0}, []int{1}, 0)
	assert.EqualError(t, err, "Rules(9) are no rules of this package")
	err = GatherInto(OpenVINO, make([]int8, 2), []int8{1}, []int{1}, []int32{0}, []int{1}, 0)
	assert.EqualError(t, err, "out has 2 elements, indices have 1")
	_, err = Gather(ONNX11, []ops.BFloat16{1}, []int{1}, []int32{0}, []int{1}, 0)
	assert.EqualError(t, err, "GatherElements-11 (ONNX) has no bfloat16")
	_, err = Gather(OpenVINO, []int8{}, []int{1 << 30, 1 << 30, 1 << 30}, []int32{0}, []int{1}, 0)
	assert.ErrorContains(t, err, "has more elements than fit an int")
}

func TestGatherError(t *testing.T) {
	_, err := Gather(ONNX13, make([]float32, 6), []int{2, 3}, []int64{0, 0, 0, 1, 7, 0}, []int{2, 3}, 1)
	var at *ops.IndexError
	require.True(t, errors.As(err, &at))
	assert.Equal(t, &ops.IndexError{Position: []int{1, 1}, Value: 7, Lo: -3, Hi: 2}, at)
}

// TestGatherTypes gathers every type, in shapes that are shorter off the axis.
func TestGatherTypes(t *testing.T) {
	testType(t, func(i int) bool { return i%3 == 0 })
	testType(t, func(i int) int8 { return int8(i) })
	testType(t, func(i int) int16 { return int16(i) })
	testType(t, func(i int) int32 { return int32(i) })
	testType(t, func(i int) int64 { return int64(i) })
	testType(t, func(i int) uint8 { return uint8(i) })
	testType(t, func(i int) uint16 { return uint16(i) })
	testType(t, func(i int) uint32 { return uint32(i) })
	testType(t, func(i int) uint64 { return uint64(i) })
	testType(t, func(i int) float16.Float16 { return float16.Fromfloat32(float32(i % 2048)) })
	testType(t, func(i int) ops.BFloat16 { return ops.BFloat16Of(float32(i % 256)) })
	testType(t, func(i int) float32 { return float32(i) })
	testType(t, func(i int) float64 { return float64(i) })
	testType(t, func(i int) complex64 { return complex(float32(i), -1) })
	testType(t, func(i int) complex128 { return complex(float64(i), -1) })
	testType(t, func(i int) string { return string(rune('a' + i)) })
}

func testType[T Element](t *testing.T, element func(int) T) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		dataShape, indicesShape, axis, indices := randomCase(r, false)
		rules := []Rules{OpenVINO, ONNX13, Torch}[r.IntN(3)]
		if rules != OpenVINO && len(indices) > 0 {
			n := 1
			for i := range indicesShape {
				if i != axis {
					indicesShape[i] = 1 + r.IntN(dataShape[i])
				}
				n *= indicesShape[i]
			}
			indices = indices[:n]
		}
		n := 1
		for _, d := range dataShape {
			n *= d
		}
		data := make([]T, n)
		for i := range data {
			data[i] = element(i)
		}
		got, err := Gather(rules, data, dataShape, indices, indicesShape, axis)
		require.NoError(t, err)
		for i, from := range source(dataShape, indicesShape, axis, indices) {
			require.Equal(t, data[from], got[i], "%v: data %v, indices %v, axis %d", rules, dataShape, indicesShape, axis)
		}
	}
}

// TestGatherOfScatter writes elements to places that no two of them share, and
// finds them there.
func TestGatherOfScatter(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const rows, d, n = 7, 40, 25
	indices := make([]int32, 0, rows*n)
	for range rows {
		for _, v := range r.Perm(d)[:n] {
			indices = append(indices, int32(v-d*r.IntN(2)))
		}
	}
	updates := make([]float64, rows*n)
	data := make([]float64, rows*d)
	for i := range updates {
		updates[i] = r.Float64()
		data[i/n*d+(int(indices[i])+d)%d] = updates[i]
	}
	got, err := Gather(OpenVINO, data, []int{rows, d}, indices, []int{rows, n}, 1)
	require.NoError(t, err)
	assert.Equal(t, updates, got)
}
