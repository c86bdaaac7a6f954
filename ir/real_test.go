package ir

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCodeOf(t *testing.T) {
	order := []float64{
		math.Inf(-1), -math.MaxFloat64, -2.5, -1, -math.SmallestNonzeroFloat64, math.Copysign(0, -1),
		0, math.SmallestNonzeroFloat64, 1, 2.5, math.MaxFloat64, math.Inf(1),
	}
	for i, x := range order {
		code := CodeOf(x)
		assert.Equal(t, math.Float64bits(x), math.Float64bits(RealOf(code)), x)
		assert.Equal(t, ^code, CodeOf(-x), x)
		if i > 0 {
			assert.Less(t, CodeOf(order[i-1]), code, x)
		}
	}
	assert.Zero(t, CodeOf(0))
	assert.Equal(t, int64(math.MinInt64), CodeOf(order[0]))
	assert.Equal(t, int64(math.MaxInt64), CodeOf(order[len(order)-1]))
}

func TestRound(t *testing.T) {
	for _, c := range []struct {
		t       ElementType
		x, want float64
	}{
		{F16, 2049, 2048}, {F16, 65520, math.Inf(1)}, {F32, 16777217, 16777216}, {F32, 1e39, math.Inf(1)}, {F64, 0.1, 0.1},
	} {
		got, ok := c.t.Round(c.x)
		assert.True(t, ok)
		assert.Equal(t, c.want, got, "%v of %v", c.x, c.t)
	}
	for _, other := range []ElementType{BF16, F8E4M3, NF4, I64, Boolean, Dynamic} {
		_, ok := other.Round(1)
		assert.False(t, ok, other)
	}
}

func TestBoundsOfReals(t *testing.T) {
	known := func(x float64) Interval { return Interval{CodeOf(x), CodeOf(x)} }
	unknown := Interval{math.MinInt64, math.MaxInt64}
	f32, err := NewTensor(F32, 4)
	require.NoError(t, err)
	copy(Data[float32](f32), []float32{1.5, -2, float32(math.NaN()), float32(math.Inf(1))})
	f16, err := NewTensor(F16, 1)
	require.NoError(t, err)
	Data[uint16](f16)[0] = 0x3e00
	f64, err := NewTensor(F64, 1)
	require.NoError(t, err)
	Data[float64](f64)[0] = 0.1
	bf16, err := NewTensor(BF16, 1)
	require.NoError(t, err)
	for _, c := range []struct {
		tensor *Tensor
		want   []Interval
	}{
		{f32, []Interval{known(1.5), known(-2), unknown, unknown}},
		{f16, []Interval{known(1.5)}},
		{f64, []Interval{known(0.1)}},
		{bf16, nil},
	} {
		f := Fact{Type: c.tensor.ElementType(), Shape: c.tensor.Shape().Partial(), Tensor: c.tensor}
		assert.Equal(t, c.want, f.Bounds(), f.Type)
		assert.Nil(t, f.Intervals(), f.Type)
		_, ok := f.Ints()
		assert.False(t, ok, f.Type)
	}
}

func TestFactConstant_reals(t *testing.T) {
	for _, elementType := range []ElementType{F16, F32, F64} {
		f := Fact{Type: elementType, Shape: StaticShape(2), Values: []Interval{{CodeOf(1.5), CodeOf(1.5)}, {CodeOf(-2), CodeOf(-2)}}}
		constant := Fact{Type: elementType, Shape: f.Shape, Tensor: f.Constant()}
		assert.NotNil(t, constant.Tensor)
		assert.Equal(t, f.Values, constant.Bounds(), elementType)
		f.Shape = StaticShape(3)
		assert.Nil(t, f.Constant(), "%v: a length of 3, and two values", elementType)
	}
}
