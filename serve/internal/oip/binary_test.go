package oip_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

func TestShapeOf(t *testing.T) {
	shape, err := oip.ShapeOf(ir.F32, []int64{2, 0, 3}, 3)
	require.NoError(t, err)
	require.Equal(t, ir.Shape{2, 0, 3}, shape)

	for text, dims := range map[string][]int64{
		"the shape has 4 dimensions, the limit is 3": {1, 1, 1, 1},
		"dimension 1 of shape [1 -1] is -1":          {1, -1},
		"bytes than fit an int":                      {math.MaxInt64 / 2, 1},
		"has more elements than fit an int":          {1e9, 1e9, 1e9},
	} {
		_, err := oip.ShapeOf(ir.F32, dims, 3)
		require.ErrorContains(t, err, text)
		require.Equal(t, oip.Malformed, code(err))
	}
}

// code returns the code of err.
func code(err error) oip.Code { return err.(*oip.Error).Code }

func TestBinaryTensor(t *testing.T) {
	for _, c := range []struct {
		elementType ir.ElementType
		shape       ir.Shape
		data        string
		want        any
	}{
		{ir.U8, ir.Shape{2}, "\x01\xff", []uint8{1, 255}},
		{ir.I16, ir.Shape{1, 2}, "\x01\x00\xfe\xff", []int16{1, -2}},
		{ir.F32, ir.Shape{1}, "\x00\x00\x80\x3f", []float32{1}},
		{ir.Boolean, ir.Shape{2}, "\x00\x01", []bool{false, true}},
		{ir.F64, ir.Shape{0, 3}, "", []float64{}},
	} {
		tensor, err := oip.BinaryTensor(c.elementType, c.shape, []byte(c.data))
		require.NoError(t, err)
		want, err := ir.TensorFrom(c.want, c.shape...)
		require.NoError(t, err)
		require.Equal(t, want.Bytes(), tensor.Bytes())
		require.Equal(t, c.shape, tensor.Shape())
		require.Equal(t, len(c.data), oip.BinarySize(tensor))
		require.Equal(t, "x"+c.data, string(oip.AppendBinary([]byte("x"), tensor)))
		shared, ok := oip.SharedBinary(tensor)
		require.True(t, ok)
		require.Equal(t, c.data, string(shared))
	}
}

func TestBinaryTensor_bytes(t *testing.T) {
	const data = "\x02\x00\x00\x00ab\x00\x00\x00\x00\x01\x00\x00\x00\xff"
	tensor, err := oip.BinaryTensor(ir.String, ir.Shape{3}, []byte(data))
	require.NoError(t, err)
	require.Equal(t, []string{"ab", "", "\xff"}, tensor.Strings())
	require.Equal(t, len(data), oip.BinarySize(tensor))
	require.Equal(t, data, string(oip.AppendBinary(nil, tensor)))
	_, ok := oip.SharedBinary(tensor)
	require.False(t, ok)
}

func TestBinaryTensor_errors(t *testing.T) {
	for _, c := range []struct {
		elementType ir.ElementType
		shape       ir.Shape
		data, text  string
	}{
		{ir.F32, ir.Shape{2}, "abcd", "FP32[2] needs 8 bytes, the request has 4"},
		{ir.F32, ir.Shape{1e9, 1e6}, "abcdefgh", "needs 4000000000000000 bytes"},
		{ir.F32, ir.Shape{-1}, "", "dimension 0 is negative"},
		{ir.Boolean, ir.Shape{2}, "\x01\x02", "element 1 of BOOL is 2, not 0 or 1"},
		{ir.String, ir.Shape{1e9, 1e6}, "abcdefgh", "more than fit 8 bytes"},
		{ir.String, ir.Shape{1}, "\x05\x00\x00\x00abc", "element 0 of BYTES[1] has 5 bytes, of which 3 are there"},
		{ir.String, ir.Shape{1}, "\xff\xff\xff\xffabc", "has 4294967295 bytes"},
		{ir.String, ir.Shape{2}, "\x03\x00\x00\x00abcd", "ends in the length of element 1"},
		{ir.String, ir.Shape{1}, "\x00\x00\x00\x00a", "1 bytes after the last element"},
	} {
		_, err := oip.BinaryTensor(c.elementType, c.shape, []byte(c.data))
		require.ErrorContains(t, err, c.text)
		require.Equal(t, oip.Malformed, code(err))
	}
}

func FuzzBinaryTensor_bytes(f *testing.F) {
	f.Add([]byte("\x02\x00\x00\x00ab\x00\x00\x00\x00"), 2)
	f.Add([]byte("\xff\xff\xff\xff"), 1)
	f.Fuzz(func(t *testing.T, data []byte, elements int) {
		if elements < 0 {
			return
		}
		tensor, err := oip.BinaryTensor(ir.String, ir.Shape{elements}, data)
		if err != nil {
			return
		}
		require.Equal(t, string(data), string(oip.AppendBinary(nil, tensor)))
	})
}
