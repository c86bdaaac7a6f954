package ir

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTensor_String(t *testing.T) {
	for _, tt := range []struct {
		data any
		want string
	}{
		{[]float32{1, 2.5, 3}, "f32[3]\n[  1 2.5   3]"},
		{[][]int32{{0, 1, 20}, {3, -4, 5}}, "i32[2,3]\n[[ 0  1 20]\n [ 3 -4  5]]"},
		{[][][]float32{{{1}, {2}}, {{3}, {4}}}, "f32[2,2,1]\n[[[1]\n  [2]]\n\n [[3]\n  [4]]]"},
		{float32(0.1), "f32[] 0.1"},
		{[]float32{}, "f32[0]\n[]"},
		{[]bool{true, false}, "boolean[2]\n[ true false]"},
		{[]string{"a\n", "b"}, "string[2]\n[\"a\\n\"   \"b\"]"},
		{[]int64{math.MaxInt64}, "i64[1]\n[9223372036854775807]"},
		{[]uint64{math.MaxUint64}, "u64[1]\n[18446744073709551615]"},
		{[]float32{float32(math.NaN()), float32(math.Inf(-1))}, "f32[2]\n[ NaN -Inf]"},
		{[]float64{1e300, 0.1}, "f64[2]\n[1e+300    0.1]"},
	} {
		tensor, err := TensorFrom(tt.data)
		require.NoError(t, err)
		assert.Equal(t, tt.want, tensor.String())
		assert.Equal(t, tt.want, fmt.Sprint(tensor))
	}
	assert.Equal(t, "<nil>", (*Tensor)(nil).String())
}

// TestTensor_String_long has more elements than are printed.
func TestTensor_String_long(t *testing.T) {
	data := make([]int32, 1010)
	for i := range data {
		data[i] = int32(i)
	}
	tensor, err := TensorFrom(data, 101, 10)
	require.NoError(t, err)
	assert.Equal(t, `i32[101,10]
[[   0    1    2 ...    7    8    9]
 [  10   11   12 ...   17   18   19]
 [  20   21   22 ...   27   28   29]
 ...
 [ 980  981  982 ...  987  988  989]
 [ 990  991  992 ...  997  998  999]
 [1000 1001 1002 ... 1007 1008 1009]]`, tensor.String())
}

// TestTensor_String_manyAxes has short axes, but many of them.
func TestTensor_String_manyAxes(t *testing.T) {
	for _, tt := range []struct {
		shape    Shape
		elements int // that are printed
	}{
		{Shape{2, 5, 4, 5, 5}, 1000}, {Shape{6, 6, 6, 6}, 256}, {Shape{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, 0}, {Shape{2000}, 6}, {Shape{0, 5000}, 0},
	} {
		tensor, err := NewTensor(Boolean, tt.shape...)
		require.NoError(t, err)
		assert.Equal(t, tt.elements, strings.Count(tensor.String(), "false"), tt.shape)
	}
}

func TestTensor_Format(t *testing.T) {
	tensor, err := TensorFrom([]float32{1, 2.0 / 3})
	require.NoError(t, err)
	assert.Equal(t, "f32[2]\n[1.00 0.67]", fmt.Sprintf("%.2f", tensor))
	assert.Equal(t, "f32[2]\n[1.0e+00 6.7e-01]", fmt.Sprintf("%.1e", tensor))
	assert.Equal(t, "%!d(*ir.Tensor=f32[2])", fmt.Sprintf("%d", tensor))
}

// TestTensor_String_types has a tensor of each element type.
func TestTensor_String_types(t *testing.T) {
	for et := range numElementTypes {
		if et == Dynamic {
			continue
		}
		tensor, err := NewTensor(et, 2, 1)
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(tensor.String(), et.String()+"[2,1]\n[["), tensor.String())
	}
}
