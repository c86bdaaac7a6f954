package ir

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTopK(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	f32 := func(list ...float32) *Tensor {
		tensor, err := TensorFrom(list)
		require.NoError(t, err)
		return tensor
	}
	indices := func(list []Ranked) []int {
		var all []int
		for _, r := range list {
			all = append(all, r.Index)
		}
		return all
	}
	for _, tt := range []struct {
		tensor *Tensor
		k      int
		want   []int
	}{
		{f32(1, 3, 2), 2, []int{1, 2}},
		{f32(1, 3, 2), 9, []int{1, 2, 0}},
		{f32(1, 3, 2), 0, nil},
		{f32(), 3, nil},
		{f32(5, 7, 5, 7, 7), 4, []int{1, 3, 4, 0}},
		{f32(nan, -inf, nan, inf, 0), 5, []int{3, 4, 1, 0, 2}},
		{f32(nan, nan, 1), 1, []int{2}},
	} {
		got, err := TopK(tt.tensor, tt.k)
		require.NoError(t, err)
		require.Len(t, got, 1)
		assert.Equal(t, tt.want, indices(got[0]))
	}
	for _, data := range []any{[]bool{false, true}, []int64{-5, 7}, []uint8{1, 255}, []BFloat16{0, 0x3f80}, []float64{0, 1}} {
		tensor, err := TensorFrom(data)
		require.NoError(t, err)
		got, err := TopK(tensor, 1)
		require.NoError(t, err)
		assert.Equal(t, 1, got[0][0].Index, "%T", data)
		assert.Equal(t, tensor.Values()(1), got[0][0].Value)
	}
	for _, et := range []ElementType{String, U4, NF4, F8E4M3, Complex64} {
		tensor, err := NewTensor(et, 2)
		require.NoError(t, err)
		_, err = TopK(tensor, 1)
		assert.ErrorContains(t, err, "have no order", et)
	}
	_, err := TopK(nil, 1)
	assert.ErrorContains(t, err, "the tensor is nil")
	_, err = TopK(f32(1), -1)
	assert.ErrorContains(t, err, "k is -1")
}

// TestTopKAxis has a vocabulary for each of two texts of three tokens.
func TestTopKAxis(t *testing.T) {
	data := []float32{0, 1, 9, 2, 3, 0, 4, 5, 6, 7, 8, 8}
	tensor, err := TensorFrom(data, 2, 3, 2)
	require.NoError(t, err)
	for _, tt := range []struct {
		axis int
		want []int // the index of the largest of each list
	}{
		{0, []int{1, 1, 0, 1, 1, 1}},
		{1, []int{1, 1, 2, 2}},
		{2, []int{1, 0, 0, 1, 1, 0}},
		{-1, []int{1, 0, 0, 1, 1, 0}},
		{-3, []int{1, 1, 0, 1, 1, 1}},
	} {
		lists, err := TopKAxis(tensor, 1, tt.axis)
		require.NoError(t, err)
		got := make([]int, len(lists))
		for i, list := range lists {
			require.Len(t, list, 1)
			got[i] = list[0].Index
		}
		assert.Equal(t, tt.want, got, "axis %d", tt.axis)
	}
	scalar, err := TensorFrom(float32(3))
	require.NoError(t, err)
	lists, err := TopK(scalar, 2)
	require.NoError(t, err)
	assert.Equal(t, [][]Ranked{{{0, 3}}}, lists)
	for _, axis := range []int{3, -4} {
		_, err := TopKAxis(tensor, 1, axis)
		assert.ErrorContains(t, err, "is not one of the 3 axes of shape [2,3,2]")
	}
	empty, err := NewTensor(F32, 2, 0)
	require.NoError(t, err)
	lists, err = TopK(empty, 1)
	require.NoError(t, err)
	assert.Equal(t, [][]Ranked{{}, {}}, lists)
	none, err := NewTensor(F32, 0, 2)
	require.NoError(t, err)
	lists, err = TopK(none, 1)
	require.NoError(t, err)
	assert.Empty(t, lists)
}

// TestTopK_random compares with a sort of all elements.
func TestTopK_random(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		data := make([]float64, random.IntN(40))
		all := make([]Ranked, len(data))
		for i := range data {
			data[i] = float64(random.IntN(10))
			all[i] = Ranked{i, data[i]}
		}
		slices.SortStableFunc(all, func(a, b Ranked) int { return cmp.Compare(b.Value, a.Value) })
		tensor, err := TensorFrom(data)
		require.NoError(t, err)
		k := random.IntN(45)
		got, err := TopK(tensor, k)
		require.NoError(t, err)
		assert.Equal(t, [][]Ranked{all[:min(k, len(all))]}, got)
	}
}

// TestTensor_Values sets and gets elements of all types.
func TestTensor_Values(t *testing.T) {
	for et := range numElementTypes {
		if et == Dynamic || et == String || et.Kind() == KindComplex {
			continue
		}
		tensor, err := NewTensor(et, 3)
		require.NoError(t, err)
		tensor.SetValue(1, 1)
		value := tensor.Values()
		assert.Equal(t, []float64{0, 1, 0}, []float64{value(0), value(1), value(2)}, et)
	}
	tensor, err := TensorFrom([]float32{0})
	require.NoError(t, err)
	tensor.SetValue(0, 1e300)
	assert.Equal(t, math.Inf(1), tensor.Values()(0))
	text, err := TensorFrom([]string{""})
	require.NoError(t, err)
	text.SetValue(0, 1.5)
	assert.Equal(t, []string{"1.5"}, text.Strings())
}
