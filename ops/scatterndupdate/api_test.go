package scatterndupdate

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func TestTypes(t *testing.T) {
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
	data := []T{x, x, x, x, x, x}
	got, err := ONNX(Options{}, data, []int{2, 3}, []int32{1, 2, 0, -3}, []int{2, 2}, []T{y, y}, []int{2})
	require.NoError(t, err)
	assert.Equal(t, []T{y, x, x, x, x, y}, got)
	assert.Equal(t, []T{x, x, x, x, x, x}, data, "data is left alone")
	require.NoError(t, OpenVINOInto(Options{}, data, data, []int{2, 3}, []int64{-1}, []int{1, 1}, []T{x, y, x}, []int{1, 3}))
	assert.Equal(t, []T{x, x, x, x, y, x}, data)
}

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		onnx bool
		o    Options
		want []int64 // of 10, 20 with 3, 4 at 1, 1
		err  string
	}{
		{true, Options{}, []int64{10, 4}, ""},
		{true, Options{11, "none"}, []int64{10, 4}, ""},
		{true, Options{16, "add"}, []int64{10, 27}, ""},
		{true, Options{16, "mul"}, []int64{10, 240}, ""},
		{true, Options{18, "min"}, []int64{10, 3}, ""},
		{true, Options{0, "max"}, []int64{10, 20}, ""},
		{false, Options{}, []int64{10, 4}, ""},
		{false, Options{3, ""}, []int64{10, 4}, ""},
		{false, Options{15, "sum"}, []int64{10, 27}, ""},
		{false, Options{15, "sub"}, []int64{10, 13}, ""},
		{false, Options{15, "prod"}, []int64{10, 240}, ""},
		{false, Options{15, "min"}, []int64{10, 3}, ""},
		{false, Options{15, "max"}, []int64{10, 20}, ""},

		{true, Options{13, "add"}, nil, `version 13 has no reduction "add", which came with 16`},
		{true, Options{16, "max"}, nil, `version 16 has no reduction "max", which came with 18`},
		{true, Options{18, "sub"}, nil, `reduction "sub" is not known`},
		{true, Options{12, ""}, nil, "version 12 is none of [11 13 16 18]"},
		{false, Options{3, "sum"}, nil, `version 3 has no reduction "sum", which came with 15`},
		{false, Options{3, "sub"}, nil, `version 3 has no reduction "sub", which came with 15`},
		{false, Options{3, "prod"}, nil, `version 3 has no reduction "prod", which came with 15`},
		{false, Options{3, "min"}, nil, `version 3 has no reduction "min", which came with 15`},
		{false, Options{3, "max"}, nil, `version 3 has no reduction "max", which came with 15`},
		{true, Options{11, "mul"}, nil, `version 11 has no reduction "mul", which came with 16`},
		{true, Options{13, "min"}, nil, `version 13 has no reduction "min", which came with 18`},
		{false, Options{15, "add"}, nil, `reduction "add" is not known`},
		{false, Options{4, ""}, nil, "version 4 is none of [3 15]"},
	} {
		f := OpenVINO[int64, int64]
		if c.onnx {
			f = ONNX[int64, int64]
		}
		got, err := f(c.o, []int64{10, 20}, []int{2}, []int64{1, 1}, []int{2, 1}, []int64{3, 4}, []int{2})
		if c.err != "" {
			assert.EqualError(t, err, c.err)
			continue
		}
		require.NoError(t, err, c)
		assert.Equal(t, c.want, got, c)
	}
	_, err := ONNX(Options{Version: 11}, []ir.BFloat16{0}, []int{1}, []int64{0}, []int{1, 1}, []ir.BFloat16{0}, []int{1})
	assert.EqualError(t, err, "version 11 has no bfloat16, which came with 13")
	_, err = ONNX(Options{Reduction: "add"}, []string{""}, []int{1}, []int64{0}, []int{1, 1}, []string{""}, []int{1})
	assert.EqualError(t, err, "reduction sum is not defined for string")
}

// TestTuples_systems has tuples that ONNX and OpenVINO treat differently.
func TestTuples_systems(t *testing.T) {
	data, updates := []int32{1, 2}, []int32{3, 4, 5, 6}
	got, err := ONNX(Options{}, data, []int{2}, []int64{}, []int{2, 0}, updates, []int{2, 2})
	require.NoError(t, err)
	assert.Equal(t, []int32{5, 6}, got)
	got, err = ONNX(Options{Reduction: "add"}, data, []int{2}, []int64{}, []int{2, 0}, updates, []int{2, 2})
	require.NoError(t, err)
	assert.Equal(t, []int32{9, 12}, got)
	got, err = OpenVINO(Options{}, data, []int{2}, []int64{}, []int{2, 0}, updates, []int{2, 2})
	require.NoError(t, err)
	assert.Equal(t, []int32{1, 2}, got)

	got, err = OpenVINO(Options{}, data, []int{2}, []int64{1}, []int{1}, []int32{9}, []int{1, 1})
	require.NoError(t, err)
	assert.Equal(t, []int32{1, 9}, got)
	_, err = ONNX(Options{}, data, []int{2}, []int64{1}, []int{1}, []int32{9}, []int{1, 1})
	assert.EqualError(t, err, "updates are [1 1]; data [2] and indices [1] need rank 0")
	got, err = ONNX(Options{}, data, []int{2}, []int64{1}, []int{1}, []int32{9}, []int{})
	require.NoError(t, err)
	assert.Equal(t, []int32{1, 9}, got)
}

func TestONNX_error(t *testing.T) {
	_, err := ONNX(Options{}, []int8{1, 2}, []int{2}, []int32{0, -3}, []int{2, 1}, []int8{4, 5}, []int{2})
	var at *ops.IndexError
	require.True(t, errors.As(err, &at))
	assert.Equal(t, &ops.IndexError{Position: []int{1, 0}, Value: -3, Lo: -2, Hi: 1}, at)
	_, err = ONNX(Options{}, []int8{1, 2}, []int{2}, []int32{0}, []int{2, 1}, []int8{4, 5}, []int{2})
	assert.EqualError(t, err, "indices: shape [2,1] needs 2 elements, the data has 1")
	_, err = ONNX(Options{}, []int8{1, 2}, []int{2}, []int32{0, 1}, []int{2, 1}, []int8{4, 5}, []int{1})
	assert.EqualError(t, err, "updates: shape [1] needs 1 elements, the data has 2")
}
