package ir

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"
)

// TestTensorFrom_ragged has lists whose first lengths promise more memory than there is.
func TestTensorFrom_ragged(t *testing.T) {
	data := make([][]uint8, 1<<24)
	data[0] = make([]uint8, 1<<24)
	_, err := TensorFrom(data)
	assert.EqualError(t, err, "data[1] has 0 elements, the first list of that depth has 16777216")
	type own int
	_, err = TensorFrom([]own{1})
	assert.ErrorContains(t, err, "stands for no element type")
}

func TestTensorFrom(t *testing.T) {
	for _, c := range []struct {
		data  any
		shape Shape
		want  string
		bytes []byte
	}{
		{[]int8{1, 2}, nil, "i8[2]", []byte{1, 2}},
		{[][]uint8{{1, 2}, {3, 4}, {5, 6}}, nil, "u8[3,2]", []byte{1, 2, 3, 4, 5, 6}},
		{[2][2]uint8{{1, 2}, {3, 4}}, nil, "u8[2,2]", []byte{1, 2, 3, 4}},
		{[]uint8{1, 2, 3, 4}, Shape{1, 2, 2}, "u8[1,2,2]", []byte{1, 2, 3, 4}},
		{[][]uint8{{1, 2, 3}, {4}}, Shape{4, 1}, "u8[4,1]", []byte{1, 2, 3, 4}},
		{uint8(7), nil, "u8[]", []byte{7}},
		{uint8(7), Shape{1, 1}, "u8[1,1]", []byte{7}},
		{[]bool{true, false}, nil, "boolean[2]", []byte{1, 0}},
		{[][]float32{}, nil, "f32[0,0]", nil},
		{[][]float32{{}, {}}, nil, "f32[2,0]", nil},
		{[]float16.Float16{float16.Fromfloat32(1)}, nil, "f16[1]", nil},
		{[]BFloat16{1}, nil, "bf16[1]", nil},
		{[]int{3}, nil, "i64[1]", nil},
		{uint(3), nil, "u64[]", nil},
		{[]float64{1}, nil, "f64[1]", nil},
		{[]int16{1}, nil, "i16[1]", nil},
		{[]int32{1}, nil, "i32[1]", nil},
		{[]uint16{1}, nil, "u16[1]", nil},
		{[]uint32{1}, nil, "u32[1]", nil},
		{[]complex64{1}, nil, "complex64[1]", nil},
		{[]complex128{1}, nil, "complex128[1]", nil},
		{[][]string{{"a"}}, nil, "string[1,1]", nil},
	} {
		tensor, err := TensorFrom(c.data, c.shape...)
		require.NoError(t, err, c.want)
		assert.Equal(t, c.want, tensor.ElementType().String()+tensor.Shape().String())
		if c.bytes != nil {
			assert.Equal(t, c.bytes, tensor.Bytes(), c.want)
		}
	}
	data := []int64{1, 2}
	tensor, err := TensorFrom(data)
	require.NoError(t, err)
	data[0] = 9
	assert.Equal(t, []int64{1, 2}, Data[int64](tensor), "a copy")
}

func TestTensorFrom_empty(t *testing.T) {
	tensor, err := TensorFrom([][3]float32{})
	require.NoError(t, err)
	assert.Equal(t, Shape{0, 3}, tensor.Shape())
}

func TestTensorFrom_errors(t *testing.T) {
	type celsius float32
	type nested []nested
	for _, c := range []struct {
		data  any
		shape Shape
		want  string
	}{
		{nil, nil, "the data is nil"},
		{[][]float32{{1, 2}, {3}}, nil, "data[1] has 1 elements, the first list of that depth has 2"},
		{[][][]int32{{{1}, {2}}, {{3}, {4, 5}}}, nil, "data[1][1] has 2 elements, the first list of that depth has 1"},
		{[]float32{1, 2, 3}, Shape{2, 2}, "shape [2,2] needs 4 elements, the data has 3"},
		{[]float32{1}, Shape{-1}, "-1"},
		{[]celsius{1}, nil, "[]ir.celsius holds elements of the Go type ir.celsius, which stands for no element type"},
		{[]any{1}, nil, "[]interface {} holds elements of the Go type interface {}, which stands for no element type"},
		{nested{{}}, nil, "ir.nested nests lists deeper than 64"},
		{struct{}{}, nil, "struct {} holds elements of the Go type struct {}, which stands for no element type"},
	} {
		_, err := TensorFrom(c.data, c.shape...)
		assert.ErrorContains(t, err, c.want)
	}
}

func TestDataOf(t *testing.T) {
	tensor, err := TensorFrom([]float32{1, 2})
	require.NoError(t, err)
	values, err := DataOf[float32](tensor)
	require.NoError(t, err)
	values[1] = 5
	assert.Equal(t, []float32{1, 5}, Data[float32](tensor), "the memory is shared")
	_, err = DataOf[int32](tensor)
	assert.EqualError(t, err, "the tensor is f32[2], not of type i32")
	_, err = DataOf[float32](nil)
	assert.EqualError(t, err, "the tensor is nil")

	flags, err := TensorOfBytes(Boolean, Shape{3}, []byte{0, 1, 7})
	require.NoError(t, err)
	truth, err := DataOf[bool](flags)
	require.NoError(t, err)
	assert.Equal(t, []bool{false, true, true}, truth)

	texts, err := TensorFrom([]string{"a", "b"})
	require.NoError(t, err)
	list, err := DataOf[string](texts)
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, list)

	halves, err := TensorFrom([]float16.Float16{float16.Fromfloat32(0.5)})
	require.NoError(t, err)
	_, err = DataOf[uint16](halves)
	assert.EqualError(t, err, "the tensor is f16[1], not of type u16")
	back, err := DataOf[float16.Float16](halves)
	require.NoError(t, err)
	assert.Equal(t, float32(0.5), back[0].Float32())
}

func TestElementTypeOf(t *testing.T) {
	assert.Equal(t, []ElementType{Boolean, I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64, Complex64, Complex128, String}, []ElementType{
		ElementTypeOf[bool](), ElementTypeOf[int8](), ElementTypeOf[int16](), ElementTypeOf[int32](), ElementTypeOf[int64](),
		ElementTypeOf[uint8](), ElementTypeOf[uint16](), ElementTypeOf[uint32](), ElementTypeOf[uint64](), ElementTypeOf[float16.Float16](),
		ElementTypeOf[BFloat16](), ElementTypeOf[float32](), ElementTypeOf[float64](), ElementTypeOf[complex64](), ElementTypeOf[complex128](), ElementTypeOf[string](),
	})
}
