package gather

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func TestGather_rules(t *testing.T) {
	data, shape := []int32{10, 20, 30, 40, 50, 60}, []int{2, 3}
	for _, c := range []struct {
		rules Rules
		index int64
		want  []int32
		err   string
	}{
		{OpenVINO8, -1, []int32{30, 60}, ""},
		{OpenVINO8, 3, []int32{0, 0}, ""},
		{OpenVINO7, -1, []int32{0, 0}, ""},
		{OpenVINO1, 1, []int32{20, 50}, ""},
		{ONNX1, -1, nil, "index -1 at position [0] is outside [0,2]"},
		{ONNX11, -1, []int32{30, 60}, ""},
		{ONNX13, -4, nil, "index -4 at position [0] is outside [-3,2]"},
		{Torch, 2, []int32{30, 60}, ""},
		{Torch, -1, nil, "index -1 at position [0] is outside [0,2]"},
		{Torch + 1, 0, nil, "Rules(7) are no rules of this package"},
	} {
		got, err := Gather(c.rules, data, shape, []int64{c.index}, []int{1}, 1, 0)
		if c.err != "" {
			assert.EqualError(t, err, c.err, c.rules)
			continue
		}
		require.NoError(t, err, c.rules)
		assert.Equal(t, c.want, got, c.rules)
	}
}

func TestGather_error(t *testing.T) {
	_, err := Gather(ONNX13, []string{"a", "b"}, []int{2}, []uint8{0, 1, 1, 2}, []int{2, 2}, 0, 0)
	var at *ops.IndexError
	require.True(t, errors.As(err, &at))
	assert.Equal(t, &ops.IndexError{Position: []int{1, 1}, Value: 2, Lo: -2, Hi: 1}, at)

	_, err = Gather(ONNX13, []int8{1}, []int{2}, []int32{0}, []int{1}, 0, 0)
	assert.EqualError(t, err, "data: shape [2] needs 2 elements, the data has 1")
	_, err = Gather(ONNX13, []int8{1}, []int{1}, []int32{0}, []int{2}, 0, 0)
	assert.EqualError(t, err, "indices: shape [2] needs 2 elements, the data has 1")
	_, err = Gather(ONNX13, []int8{1}, []int{}, []int32{0}, []int{1}, 0, 0)
	assert.EqualError(t, err, "data is a scalar, rank 1 or more is needed")
	_, err = Gather(ONNX13, []int8{1}, []int{1}, []int32{0}, []int{1}, 0, 1)
	assert.EqualError(t, err, "batch_dims is 1, Gather-13 (ONNX) has none")
	_, err = Gather(ONNX11, []ir.BFloat16{1}, []int{1}, []int32{0}, []int{1}, 0, 0)
	assert.EqualError(t, err, "Gather-11 (ONNX) has no bfloat16")
	_, err = Gather(ONNX13, []int8{1}, []int{1}, []int32{0}, []int{1}, 1, 0)
	assert.EqualError(t, err, "axis 1 is outside [-1,0] for rank 1")
	_, err = Gather(ONNX13, []int8{}, []int{0, -1}, []int32{0}, []int{1}, 0, 0)
	assert.EqualError(t, err, "data: shape [0 -1]: dimension 1 is negative")
	_, err = Gather(ONNX13, []int8{}, []int{1, math.MaxInt / 4, 0}, []int32{}, []int{8, 0}, 0, 0)
	assert.ErrorContains(t, err, "output: ")
	err = GatherInto(ONNX13, make([]int8, 2), []int8{1}, []int{1}, []int32{0}, []int{1}, 0, 0)
	assert.EqualError(t, err, "out: shape [1] needs 1 elements, the data has 2")
}

// TestOutputShape_error has what the shape rule of the layer refuses.
func TestOutputShape_error(t *testing.T) {
	_, err := OutputShape(ONNX13, []int{2, 3}, []int{1}, 2, 0)
	assert.EqualError(t, err, "axis 2 is outside [-2,1] for rank 2")
	_, err = OutputShape(OpenVINO8, []int{2, 3}, []int{4, 1}, 1, 1)
	assert.EqualError(t, err, "data [2,3] and indices [4,1] differ in batch axis 0")
}

func TestGather_torch(t *testing.T) {
	for _, c := range []struct {
		data, indices []int
		n             int
		want          []int
		err           string
	}{
		{[]int{2, 3}, []int{2}, 2, []int{2, 3}, ""},
		{[]int{2, 3}, []int{}, 1, []int{1, 3}, ""},
		{[]int{2, 3}, []int{0}, 0, []int{0, 3}, ""},
		{[]int{}, []int{1}, 1, []int{}, ""},
		{[]int{}, []int{}, 1, []int{}, ""},
		{[]int{}, []int{2}, 2, nil, "2 elements are taken from a scalar, not one"},
		{[]int{2}, []int{1, 1}, 1, nil, "indices of shape [1 1] are not a vector"},
	} {
		shape, err := OutputShape(Torch, c.data, c.indices, 0, 0)
		if c.err != "" {
			assert.EqualError(t, err, c.err)
			continue
		}
		require.NoError(t, err)
		assert.EqualValues(t, c.want, shape)
		data := []float64{1, 2, 3, 4, 5, 6}[:max(len(c.data)*3, 1)]
		out, err := Gather(Torch, data, c.data, make([]int64, c.n), c.indices, 0, 0)
		require.NoError(t, err)
		for i, v := range out {
			assert.Equal(t, data[i%3], v)
		}
	}
}
