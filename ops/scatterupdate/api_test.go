package scatterupdate

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func TestUpdate_types(t *testing.T) {
	checkType(t, false, true)
	checkType[int8](t, 1, -2)
	checkType[int16](t, 1, -2)
	checkType[int32](t, 1, -2)
	checkType[int64](t, 1, -1<<62)
	checkType[uint8](t, 1, 255)
	checkType[uint16](t, 1, 2)
	checkType[uint32](t, 1, 2)
	checkType[uint64](t, 1, 1<<63)
	checkType(t, float16.Fromfloat32(1), float16.Fromfloat32(-2))
	checkType(t, ir.BFloat16Of(1), ir.BFloat16Of(-2))
	checkType[float32](t, 1, -2)
	checkType[float64](t, 1, -2)
	checkType[complex64](t, 1, 2i)
	checkType[complex128](t, 1, 2i)
	checkType(t, "a", "b")
}

func checkType[T ir.Scalar](t *testing.T, x, y T) {
	t.Helper()
	checkIndexType[T, int8](t, x, y)
	checkIndexType[T, int16](t, x, y)
	checkIndexType[T, int32](t, x, y)
	checkIndexType[T, int64](t, x, y)
	checkIndexType[T, uint8](t, x, y)
	checkIndexType[T, uint16](t, x, y)
	checkIndexType[T, uint32](t, x, y)
	checkIndexType[T, uint64](t, x, y)
}

func checkIndexType[T ir.Scalar, I ops.Index](t *testing.T, x, y T) {
	t.Helper()
	data := []T{x, x, x, x, x, x}
	got, err := Update(data, []int{2, 3}, []I{2, 0}, []int{2}, []T{y, x, x, y}, []int{2, 2}, -1)
	require.NoError(t, err)
	assert.Equal(t, []T{x, x, y, y, x, x}, got)
	assert.Equal(t, []T{x, x, x, x, x, x}, data, "data is left alone")
	require.NoError(t, UpdateInto(data, data, []int{2, 3}, []I{1}, []int{}, []T{x, y, x}, []int{3}, 0))
	assert.Equal(t, []T{x, x, x, x, y, x}, data)
}

func TestUpdate_error(t *testing.T) {
	_, err := Update([]int8{1, 2, 3}, []int{3}, []int64{0, -1}, []int{2}, []int8{4, 5}, []int{2}, 0)
	var at *ops.IndexError
	require.True(t, errors.As(err, &at))
	assert.Equal(t, &ops.IndexError{Position: []int{1}, Value: -1, Lo: 0, Hi: 2}, at)

	_, err = Update([]int8{1, 2}, []int{3}, []int64{0}, []int{1}, []int8{4}, []int{1}, 0)
	assert.EqualError(t, err, "out: shape [3] needs 3 elements, the data has 2")
	err = UpdateInto(make([]int8, 3), []int8{1, 2}, []int{3}, []int64{0}, []int{1}, []int8{4}, []int{1}, 0)
	assert.EqualError(t, err, "data: shape [3] needs 3 elements, the data has 2")
	_, err = Update([]int8{1, 2, 3}, []int{3}, []int64{0}, []int{2}, []int8{4}, []int{1}, 0)
	assert.EqualError(t, err, "indices: shape [2] needs 2 elements, the data has 1")
	_, err = Update([]int8{1, 2, 3}, []int{3}, []int64{0}, []int{1}, []int8{4}, []int{2}, 0)
	assert.EqualError(t, err, "updates: shape [2] needs 2 elements, the data has 1")
	_, err = Update([]int8{1, 2, 3}, []int{3}, []int64{0}, []int{1}, []int8{4}, []int{1}, 1)
	assert.EqualError(t, err, "axis 1 is outside [-1,0] for rank 1")
	_, err = Update([]int8{1, 2, 3}, []int{3}, []int64{0, 0}, []int{2}, []int8{4}, []int{1}, 0)
	assert.EqualError(t, err, "updates are [1]; data [3] and indices [2] along axis 0 need [2]")
}
