package ir

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestByteSize(t *testing.T) {
	for _, c := range []struct {
		elementType ElementType
		shape       Shape
		want        int
	}{
		{F32, Shape{}, 4},
		{F32, Shape{2, 3}, 24},
		{F32, Shape{2, 0, 5}, 0},
		{U1, Shape{9}, 2},
		{U2, Shape{5}, 2},
		{U3, Shape{9}, 6},
		{U3, Shape{8}, 3},
		{U6, Shape{5}, 6},
		{I4, Shape{3}, 2},
		{NF4, Shape{0}, 0},
		{Complex128, Shape{2}, 32},
	} {
		got, err := ByteSize(c.elementType, c.shape)
		require.NoError(t, err, "%v%v", c.elementType, c.shape)
		assert.Equal(t, c.want, got, "%v%v", c.elementType, c.shape)
	}
	for _, c := range []struct {
		elementType ElementType
		shape       Shape
		want        string
	}{
		{F32, Shape{-1}, "dimension 0 is negative"},
		{F32, Shape{math.MaxInt, 2}, "more elements than fit an int"},
		{F32, Shape{math.MaxInt/4 + 2}, "needs more bytes than fit an int"},
		{U8, Shape{math.MaxInt, math.MaxInt, math.MaxInt}, "more elements than fit an int"},
		{Dynamic, Shape{1}, "has no size"},
		// No elements, but too many rows for a loop over them.
		{F32, Shape{2, 0, math.MaxInt}, "more elements than fit an int"},
	} {
		_, err := ByteSize(c.elementType, c.shape)
		assert.ErrorContains(t, err, c.want, "%v%v", c.elementType, []int(c.shape))
	}
}

func TestTensorOfInts(t *testing.T) {
	for _, et := range []ElementType{I8, I16, I32, I64, U8, U16, U32, U64, Boolean} {
		tensor, err := TensorOfInts(et, Shape{3}, []int64{0, 1, 127})
		require.NoError(t, err, et)
		got, err := tensor.Ints()
		require.NoError(t, err, et)
		assert.Equal(t, []int64{0, 1, 127}, got, et)
	}
	for et, value := range map[ElementType]int64{I8: 128, I16: -40000, I32: 1 << 31, U8: -1, U16: 65536, U32: -1, U64: -1} {
		_, err := TensorOfInts(et, Shape{3}, []int64{0, value, value})
		assert.EqualError(t, err, fmt.Sprintf("value 1 is %d, which does not fit element type %v", value, et))
	}
	_, err := TensorOfInts(F32, Shape{1}, []int64{1})
	assert.ErrorContains(t, err, "f32 is not an integer")
	_, err = TensorOfInts(I32, Shape{2}, []int64{1})
	assert.ErrorContains(t, err, "needs 2 elements, 1 are given")
}

func TestTensorOfBytesUnaligned(t *testing.T) {
	memory := AlignedBytes(13)
	memory[1] = 7
	tensor, err := TensorOfBytes(I32, Shape{3}, memory[1:])
	require.NoError(t, err)
	assert.Equal(t, []int32{7, 0, 0}, Data[int32](tensor))
	_, err = TensorOfBytes(I32, Shape{4}, memory[1:])
	assert.ErrorContains(t, err, "needs 16 bytes, the data has 12")
}

func TestIntsBeyondInt64(t *testing.T) {
	tensor, err := TensorOf(U64, Shape{2}, []uint64{1, 1 << 63})
	require.NoError(t, err)
	_, err = tensor.Ints()
	assert.ErrorContains(t, err, "element 1 is 9223372036854775808")
}

func TestPacked(t *testing.T) {
	for _, c := range []struct {
		elementType ElementType
		values      []uint8
		bytes       []byte
	}{
		{U1, []uint8{1, 0, 0, 0, 0, 0, 0, 0, 1}, []byte{0x80, 0x80}},
		{U1, []uint8{1, 0, 1, 1, 0, 0, 1, 1, 0, 1}, []byte{0b1011_0011, 0b0100_0000}},
		{U2, []uint8{1, 2, 3, 0, 2}, []byte{0b00_11_10_01, 0b10}},
		{U4, []uint8{1, 2, 15}, []byte{0x21, 0x0f}},
		// The high bit of the first element is bit 7 of the third byte.
		{U3, []uint8{7, 0, 1, 2, 3, 0, 0, 4}, []byte{0b11_00_01_10, 0b11_00_00_00, 0b1000_0001}},
		{U3, []uint8{0, 0, 0, 0, 0, 0, 0, 0, 7, 2}, []byte{0, 0, 0, 0b11_10_00_00, 0, 0b1000_0000}},
		{U6, []uint8{0x3f, 0x01, 0x20, 0x12}, []byte{0xf1, 0x02, 0b11_00_10_01}},
	} {
		tensor, err := NewTensor(c.elementType, len(c.values))
		require.NoError(t, err)
		for i, v := range c.values {
			tensor.SetPacked(i, 0xff) // every bit is set again below
			tensor.SetPacked(i, v)
		}
		assert.Equal(t, c.bytes, tensor.Bytes(), c.elementType)
		for i, v := range c.values {
			assert.Equal(t, v, tensor.Packed(i), "%v element %d", c.elementType, i)
		}
	}
}

func TestStringTensor_errors(t *testing.T) {
	_, err := StringTensor(Shape{3}, []string{"a"})
	assert.ErrorContains(t, err, "shape [3] needs 3 elements, the data has 1")
	_, err = StringTensor(Shape{math.MaxInt / 4}, nil)
	assert.ErrorContains(t, err, "needs more bytes than fit an int")
	_, err = TensorOfBytes(String, Shape{1}, make([]byte, 64))
	assert.ErrorContains(t, err, "a string tensor is not made of bytes")
}

func TestTensor_Reset(t *testing.T) {
	data := AlignedBytes(40)
	for _, elementType := range []ElementType{U8, U4, I16, F32, I64, Complex128} {
		var tensor Tensor
		require.NoError(t, tensor.Reset(elementType, Shape{2}, data[8:], nil), elementType)
		assert.Equal(t, Shape{2}, tensor.Shape())
	}
	var tensor Tensor
	assert.ErrorContains(t, tensor.Reset(F32, Shape{2}, data[2:], nil), "not aligned for element type f32")
	assert.ErrorContains(t, tensor.Reset(F32, Shape{11}, data, nil), "f32[11] needs 44 bytes, the data has 40")
	assert.ErrorContains(t, tensor.Reset(String, Shape{2}, nil, make([]string, 1)), "shape [2] needs 2 elements, the data has 1")
}

// TestNewTensorTooLarge asks for more than there are addresses, where the Go runtime would panic.
func TestNewTensorTooLarge(t *testing.T) {
	for _, c := range []struct {
		t     ElementType
		shape []int
	}{
		{U8, []int{math.MaxInt}},
		{U8, []int{math.MaxInt/2 + 2}},
		{F64, []int{math.MaxInt / 8}},
		{String, []int{math.MaxInt / 9}},
		{F32, []int{math.MaxInt32, math.MaxInt32, math.MaxInt32}},
	} {
		_, err := NewTensor(c.t, c.shape...)
		assert.Error(t, err, "%v%v", c.t, c.shape)
	}
	_, err := NewTensor(F32, math.MaxInt, 0, math.MaxInt)
	assert.ErrorContains(t, err, "more elements than fit an int")
	huge := Shape{math.MaxInt - 8}
	_, err = NewTensor(U8, huge...)
	assert.ErrorContains(t, err, fmt.Sprintf("u8%v needs %d bytes, more than the limit of ", huge, math.MaxInt-8))
}
