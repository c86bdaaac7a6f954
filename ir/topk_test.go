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
		assert.Equal(t, tt.want, indices(got))
	}
	for _, data := range []any{[]bool{false, true}, []int64{-5, 7}, []uint8{1, 255}, []BFloat16{0, 0x3f80}, []float64{0, 1}} {
		tensor, err := TensorFrom(data)
		require.NoError(t, err)
		got, err := TopK(tensor, 1)
		require.NoError(t, err)
		assert.Equal(t, 1, got[0].Index, "%T", data)
		assert.Equal(t, tensor.Values()(1), got[0].Value)
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
		assert.Equal(t, all[:min(k, len(all))], got)
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
