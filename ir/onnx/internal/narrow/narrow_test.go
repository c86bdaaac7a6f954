package narrow_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/narrow"
)

func TestNamed(t *testing.T) {
	for _, name := range []string{"FLOAT8E4M3FNUZ", "FLOAT8E5M2FNUZ", "FLOAT6E2M3", "FLOAT6E3M2", "INT2"} {
		require.NotNil(t, narrow.Named(name), name)
		assert.Equal(t, name, narrow.Named(name).Name)
	}
	assert.Nil(t, narrow.Named("FLOAT8E4M3FN"))
}

// TestType_Expand has elements that share bytes, and the largest number of each type of floats.
// Values gives the bits of i4.
func TestType_Expand(t *testing.T) {
	for _, c := range []struct {
		name  string
		shape ir.Shape
		data  []byte
		want  []float64
	}{
		{"FLOAT8E4M3FNUZ", ir.Shape{2}, []byte{0x7f, 0x80}, []float64{240, math.NaN()}},
		{"FLOAT8E5M2FNUZ", ir.Shape{2, 1}, []byte{0xff, 0x01}, []float64{-57344, math.Ldexp(1, -17)}},
		{"FLOAT6E2M3", ir.Shape{3}, []byte{0b11_011111, 0b0010_1000, 0}, []float64{7.5, -0.375, 0.25}},
		{"FLOAT6E3M2", ir.Shape{1}, []byte{0b00_011111}, []float64{28}},
		{"INT2", ir.Shape{5}, []byte{0b00_11_10_01, 0b10}, []float64{1, 14, 15, 0, 14}},
		{"INT2", ir.Shape{0, 3}, nil, []float64{}},
	} {
		e := narrow.Named(c.name)
		got, err := e.Expand(c.shape, c.data)
		require.NoError(t, err, c.name)
		assert.Equal(t, e.Holder, got.ElementType(), c.name)
		assert.Equal(t, c.shape, got.Shape(), c.name)
		values := make([]float64, got.Len())
		for i := range values {
			values[i] = got.Values()(i)
		}
		assert.InDeltaSlice(t, c.want, values, 0, c.name)
	}
	_, err := narrow.Named("INT2").Expand(ir.Shape{5}, []byte{1})
	assert.EqualError(t, err, "INT2[5] needs 2 bytes, the data has 1")
	_, err = narrow.Named("INT2").Expand(ir.Shape{math.MaxInt, math.MaxInt}, nil)
	assert.ErrorContains(t, err, "more elements than fit")
}

// TestFloat compares the largest number that a type is said to have with those that it has.
func TestFloat(t *testing.T) {
	for _, name := range []string{"FLOAT8E4M3FNUZ", "FLOAT8E5M2FNUZ", "FLOAT6E2M3", "FLOAT6E3M2"} {
		e := narrow.Named(name)
		got, err := e.Expand(ir.Shape{1}, []byte{1<<(e.Bits-1) - 1})
		require.NoError(t, err)
		assert.Equal(t, e.Float.Max, got.Values()(0), name)
		smallest, err := e.Expand(ir.Shape{1}, []byte{1})
		require.NoError(t, err)
		assert.Equal(t, math.Ldexp(1, e.Float.MinExponent-e.Float.Mantissa), smallest.Values()(0), name)
		negative, err := e.Expand(ir.Shape{1}, []byte{1 << (e.Bits - 1)})
		require.NoError(t, err)
		assert.Equal(t, e.Float.NaN, math.IsNaN(negative.Values()(0)), name)
	}
}

// FuzzType_Expand checks that any data gives a tensor of its elements, or an error.
func FuzzType_Expand(f *testing.F) {
	f.Add("INT2", 5, []byte{0x1b, 0x02})
	f.Add("FLOAT6E2M3", 3, []byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, name string, n int, data []byte) {
		e := narrow.Named(name)
		if e == nil || n < 0 || n > 1<<16 {
			return
		}
		got, err := e.Expand(ir.Shape{n}, data)
		require.Equal(t, len(data) == e.Bytes(n), err == nil)
		if err == nil {
			require.Equal(t, n, got.Len())
		}
	})
}
