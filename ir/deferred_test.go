package ir

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type threes struct{}

func (threes) Bytes() []byte { return []byte{3, 0, 0, 0, 3, 0, 0, 0} }

func TestDeferredTensor(t *testing.T) {
	tensor, err := DeferredTensor(I32, Shape{2}, threes{})
	require.NoError(t, err)
	assert.Equal(t, []int32{3, 3}, Data[int32](tensor))
	assert.Equal(t, threes{}, tensor.Deferred())
	assert.Nil(t, tensor.Unaligned())
	require.NoError(t, tensor.Reset(U8, Shape{1}, []byte{7}, nil))
	assert.Equal(t, []byte{7}, tensor.Bytes())
	assert.Nil(t, tensor.Deferred())

	_, err = DeferredTensor(U4, Shape{2}, threes{})
	assert.EqualError(t, err, "the elements of a tensor of u4 cannot be deferred")
	_, err = DeferredTensor(I32, Shape{-1}, threes{})
	assert.Error(t, err)
}

func TestUnalignedTensor(t *testing.T) {
	bin := make([]byte, 8)
	_, err := UnalignedTensor(F16, Shape{2}, bin[1:4])
	assert.EqualError(t, err, "f16[2] needs 4 bytes, the data has 3")
	tensor, err := UnalignedTensor(F16, Shape{2}, bin[1:6])
	require.NoError(t, err)
	assert.Equal(t, bin[1:5], tensor.Bytes())
}

func TestUnalignedBytes(t *testing.T) {
	bin := AlignedBytes(16)
	copy(bin, []byte{9, 3, 0, 0, 0, 4})
	tensor, err := DeferredTensor(I32, Shape{2}, UnalignedBytes(bin[1:9]))
	require.NoError(t, err)
	assert.Equal(t, bin[1:9], tensor.Unaligned())
	assert.Equal(t, []int32{3, 4}, Data[int32](tensor))
	assert.Same(t, &Data[int32](tensor)[0], &Data[int32](tensor)[0], "copied once")
}
