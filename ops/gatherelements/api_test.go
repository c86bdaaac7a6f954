package gatherelements

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// rules is the function that a case calls.
type rules string

const onnxRules, torchRules = rules("ONNX"), rules("torch")

func gatherBy[T Element, I Index](r rules, data []T, dataShape []int, indices []I, indicesShape []int, axis int) ([]T, error) {
	if r == torchRules {
		return TorchGather(data, dataShape, axis, indices, indicesShape)
	}
	return ONNX(Options{Axis: axis}, data, dataShape, indices, indicesShape)
}

func TestCallShapes(t *testing.T) {
	both, onnx, torch := []rules{onnxRules, torchRules}, []rules{onnxRules}, []rules{torchRules}
	for _, c := range []struct {
		name          string
		rules         []rules
		data, indices []int
		axis          int
		index         []int64
		want          []int32
		err           string
	}{
		{name: "axis 0", rules: both, data: []int{3, 2}, indices: []int{2, 2}, index: []int64{2, 0, 1, 2}, want: []int32{4, 1, 2, 5}},
		{name: "axis -1", rules: both, data: []int{2, 3}, indices: []int{2, 2}, axis: -1, index: []int64{2, 0, 1, 1}, want: []int32{2, 0, 4, 4}},
		{name: "longer along the axis", rules: both, data: []int{2}, indices: []int{3}, index: []int64{1, 0, 1}, want: []int32{1, 0, 1}},
		{name: "shorter off the axis", rules: both, data: []int{3, 3}, indices: []int{2, 2}, axis: 1, index: []int64{0, 2, 1, 0}, want: []int32{0, 2, 4, 3}},
		{name: "shorter off axis 0", rules: both, data: []int{3, 3}, indices: []int{2, 2}, index: []int64{0, 2, 1, 0}, want: []int32{0, 7, 3, 1}},
		{name: "longer off the axis", rules: both, data: []int{2, 3}, indices: []int{3, 3}, axis: 1, index: make([]int64, 9),
			err: "indices [3 3] are longer than data [2 3] off axis 1"},
		{name: "negative", rules: onnx, data: []int{3}, indices: []int{2}, index: []int64{-1, -3}, want: []int32{2, 0}},
		{name: "negative, torch", rules: torch, data: []int{3}, indices: []int{2}, index: []int64{0, -1}, err: "index -1 at position [1] is outside [0,2]"},
		{name: "beyond", rules: onnx, data: []int{3}, indices: []int{2}, index: []int64{-4, 3}, err: "index -4 at position [0] is outside [-3,2]"},
		{name: "beyond, torch", rules: torch, data: []int{3}, indices: []int{2}, index: []int64{0, 3}, err: "index 3 at position [1] is outside [0,2]"},
		{name: "scalars", rules: onnx, data: []int{}, indices: []int{}, index: []int64{0}, err: "data [] and indices [] must have rank 1 or more"},
		{name: "scalars, torch", rules: torch, data: []int{}, indices: []int{}, axis: -1, index: []int64{0}, want: []int32{0}},
		{name: "scalar index, torch", rules: torch, data: []int{3}, indices: []int{}, index: []int64{2}, want: []int32{2}},
		{name: "scalar beyond, torch", rules: torch, data: []int{}, indices: []int{}, index: []int64{1}, err: "index 1 at position [0] is outside [0,0]"},
		{name: "rank", rules: both, data: []int{2, 2}, indices: []int{2}, index: []int64{0, 0}, err: "indices [2] and data [2 2] differ in rank"},
		{name: "axis", rules: both, data: []int{2, 2}, indices: []int{1, 1}, axis: 2, index: []int64{0}, err: "axis 2 is outside [-2,1] for rank 2"},
		{name: "axis before", rules: both, data: []int{2}, indices: []int{1}, axis: -2, index: []int64{0}, err: "axis -2 is outside [-1,0] for rank 1"},
		{name: "no indices", rules: both, data: []int{2, 2}, indices: []int{0, 2}, want: []int32{}},
		{name: "no indices of another rank, torch", rules: torch, data: []int{2, 2}, indices: []int{0}, want: []int32{}},
		{name: "no indices of another rank", rules: onnx, data: []int{2, 2}, indices: []int{0}, err: "indices [0] and data [2 2] differ in rank"},
		{name: "empty axis", rules: both, data: []int{0}, indices: []int{1}, index: []int64{0}, err: "index 0 at position [0] points into an axis of length 0"},
		{name: "indices of another length", rules: both, data: []int{2}, indices: []int{3}, index: []int64{0}, err: "indices of shape [3] need 3 elements, 1 are given"},
		{name: "negative length", rules: both, data: []int{2}, indices: []int{-1}, err: "indices: shape [-1]: dimension 0 is negative"},
	} {
		for _, r := range c.rules {
			t.Run(c.name+" "+string(r), func(t *testing.T) {
				n := 1
				for _, d := range c.data {
					n *= d
				}
				data := make([]int32, n)
				for i := range data {
					data[i] = int32(i)
				}
				got, err := gatherBy(r, data, c.data, c.index, c.indices, c.axis)
				narrow := make([]int32, len(c.index))
				for i, v := range c.index {
					narrow[i] = int32(v)
				}
				got32, err32 := gatherBy(r, data, c.data, narrow, c.indices, c.axis)
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

func TestCallArguments(t *testing.T) {
	_, err := ONNX(Options{}, []int8{1, 2}, []int{3}, []int32{0}, []int{1})
	assert.EqualError(t, err, "data of shape [3] need 3 elements, 2 are given")
	_, err = ONNX(Options{Version: 12}, []int8{1}, []int{1}, []int32{0}, []int{1})
	assert.EqualError(t, err, "GatherElements-12 is not known, only versions 11 and 13")
	_, err = ONNX(Options{Version: 11}, []ir.BFloat16{1}, []int{1}, []int32{0}, []int{1})
	assert.EqualError(t, err, "GatherElements-11 has no bfloat16")
	_, err = ONNX(Options{}, []int8{}, []int{1 << 30, 1 << 30, 1 << 30}, []int32{0}, []int{1})
	assert.ErrorContains(t, err, "has more elements than fit an int")
	err = ONNXInto(Options{}, make([]int8, 2), []int8{1}, []int{1}, []int32{0}, []int{1})
	assert.EqualError(t, err, "out has 2 elements, indices have 1")
	err = TorchGatherInto(nil, []int8{1}, []int{1}, 0, []int32{0}, []int{1})
	assert.EqualError(t, err, "out has 0 elements, indices have 1")
	_, err = TorchGather([]int8{1}, []int{1}, 1, []int32{}, []int{0})
	assert.EqualError(t, err, "axis 1 is outside [-1,0] for rank 1")
}

func TestCallError(t *testing.T) {
	_, err := ONNX(Options{Axis: 1}, make([]float32, 6), []int{2, 3}, []int64{0, 0, 0, 1, 7, 0}, []int{2, 3})
	var at *ops.IndexError
	require.True(t, errors.As(err, &at))
	assert.Equal(t, &ops.IndexError{Position: []int{1, 1}, Value: 7, Lo: -3, Hi: 2}, at)
}

// TestGatherTypes gathers every type, with indices that are shorter than data along another
// axis.
func TestCallTypes(t *testing.T) {
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
	testType(t, func(i int) ir.BFloat16 { return ir.BFloat16Of(float32(i % 256)) })
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
		by := []rules{onnxRules, torchRules}[r.IntN(2)]
		if r.IntN(3) > 0 && len(indices) > 0 {
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
		got, err := gatherBy(by, data, dataShape, indices, indicesShape, axis)
		require.NoError(t, err)
		for i, from := range source(dataShape, indicesShape, axis, indices) {
			require.True(t, data[from] == got[i], "%v: data %v, indices %v, axis %d: element %d", by, dataShape, indicesShape, axis, i)
		}
	}
}
