package gathernd

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func TestGather_types(t *testing.T) {
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
	data := []T{x, y, x, x, x, y}
	for _, rules := range []Rules{OpenVINO8, OpenVINO5, ONNX13} {
		got, err := Gather(rules, data, []int{2, 3}, []int32{0, 1, -1, -3, 1, 2}, []int{3, 2}, 0)
		require.NoError(t, err)
		assert.Equal(t, []T{y, x, y}, got)
		got, err = Gather(rules, data, []int{2, 3}, []uint8{1, 2}, []int{2, 1}, 1)
		require.NoError(t, err)
		assert.Equal(t, []T{y, y}, got)
	}
}

func TestOutputShape(t *testing.T) {
	data, indices := []int{2, 3, 4}, []int{2, 3, 1}
	for _, c := range []struct {
		rules Rules
		batch int
		want  []int
		err   string
	}{
		{OpenVINO8, 2, []int{2, 3}, ""},
		{OpenVINO5, 2, []int{6}, ""},
		{ONNX13, 2, []int{2, 3}, ""},
		{ONNX12, 0, []int{2, 3, 3, 4}, ""},
		{ONNX11, 0, []int{2, 3, 3, 4}, ""},
		{ONNX11, 1, nil, "batch_dims is 1, GatherND-11 (ONNX) has none"},
		{ONNX13, -1, nil, "batch_dims is -1, 0 or more is needed"},
		{ONNX13, 3, nil, "batch_dims 3 is not below the rank of data [2,3,4]"},
		{ONNX13 + 1, 0, nil, "Rules(5) are no rules of this package"},
	} {
		got, err := OutputShape(c.rules, data, indices, c.batch)
		if c.err != "" {
			assert.EqualError(t, err, c.err)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, c.want, got)
	}
}

func TestGather_error(t *testing.T) {
	_, err := Gather(ONNX13, []string{"a", "b"}, []int{2}, []int64{0, -3}, []int{2, 1}, 0)
	var at *ops.IndexError
	require.True(t, errors.As(err, &at))
	assert.Equal(t, &ops.IndexError{Position: []int{1, 0}, Value: -3, Lo: -2, Hi: 1}, at)

	_, err = Gather(ONNX13, []int8{1}, []int{2}, []int32{0}, []int{1}, 0)
	assert.EqualError(t, err, "data: shape [2] needs 2 elements, the data has 1")
	_, err = Gather(ONNX13, []int8{1}, []int{1}, []int32{0}, []int{2, 1}, 0)
	assert.EqualError(t, err, "indices: shape [2,1] needs 2 elements, the data has 1")
	_, err = Gather(ONNX13, []int8{1}, []int{}, []int32{0}, []int{1}, 0)
	assert.EqualError(t, err, "data [] and indices [1] must have rank 1 or more")
	_, err = Gather(ONNX12, []ir.BFloat16{1}, []int{1}, []int32{0}, []int{1}, 0)
	assert.EqualError(t, err, "GatherND-12 (ONNX) has no bfloat16")
	err = GatherInto(ONNX13, make([]int8, 2), []int8{1}, []int{1}, []int32{0}, []int{1}, 0)
	assert.EqualError(t, err, "out: shape [] needs 1 elements, the data has 2")
}

// TestGather_noIndices has tuples of no indices, which select all of data.
func TestGather_noIndices(t *testing.T) {
	got, err := Gather(ONNX13, []int8{1, 2}, []int{2}, []int64{}, []int{3, 0}, 0)
	require.NoError(t, err)
	assert.Equal(t, []int8{1, 2, 1, 2, 1, 2}, got)
}
