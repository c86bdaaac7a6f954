package check

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func TestLengths(t *testing.T) {
	layer := &ir.Layer{Inputs: []ir.Input{{Source: &ir.Layer{Type: "Constant"}}, {Source: &ir.Layer{Type: "Add"}}, {}}}
	in := &ops.Inference{Layer: layer, Inputs: []ir.Fact{
		{Values: []ir.Interval{{Min: -1, Max: -1}, {Min: -2, Max: -2}, {Min: 3, Max: 3}}},
		{Shape: ir.StaticShape(2), Values: []ir.Interval{{Min: 1, Max: 4}, {Min: -1, Max: -1}}},
		{},
	}}
	dims, known, err := Lengths(in, 0, "x")
	require.NoError(t, err)
	assert.True(t, known)
	assert.Equal(t, []ir.Dimension{ir.AnyDim, ir.Dim(0), ir.Dim(3)}, dims)
	_, _, err = Lengths(in, 1, "x")
	assert.EqualError(t, err, "x[1] is negative: -1")
	_, known, err = Lengths(in, 2, "x")
	assert.NoError(t, err)
	assert.False(t, known)

	tensor, err := ir.TensorOf(ir.U64, ir.Shape{2}, []uint64{1, 1 << 63})
	require.NoError(t, err)
	in.Inputs[2] = ir.Fact{Type: ir.U64, Shape: ir.StaticShape(2), Tensor: tensor}
	_, _, err = Lengths(in, 2, "x")
	assert.EqualError(t, err, "x: element 1 is 9223372036854775808, beyond int64")
}

func TestLengthOf(t *testing.T) {
	in := &ops.Inference{Inputs: []ir.Fact{
		{Shape: ir.ShapeOf(), Values: []ir.Interval{{Min: 1, Max: 4}}},
		{Shape: ir.ShapeOf(), Values: []ir.Interval{{Min: -1, Max: -1}}},
		{Values: []ir.Interval{{Min: 1, Max: 4}, {Min: 2, Max: 2}}},
		{},
	}}
	for i, want := range map[int]ir.Dimension{0: ir.DimRange(1, 4), 2: ir.AnyDim, 3: ir.AnyDim} {
		d, err := LengthOf(in, i, "x")
		assert.NoError(t, err)
		assert.Equal(t, want, d, "input %d", i)
	}
	_, err := LengthOf(in, 1, "x")
	assert.EqualError(t, err, "x is negative: -1")
}

func TestLength(t *testing.T) {
	d, err := Length("x", ir.Interval{Min: 2, Max: 3})
	assert.NoError(t, err)
	assert.Equal(t, ir.DimRange(2, 3), d)
	d, err = Length("x", ir.Interval{Min: math.MinInt64, Max: math.MaxInt64})
	assert.NoError(t, err)
	assert.Equal(t, ir.AnyDim, d)
	d, err = Length("x", ir.Interval{Min: math.MaxInt64, Max: math.MaxInt64})
	assert.NoError(t, err)
	assert.Equal(t, ir.AnyDim, d)
	_, err = Length("x", ir.Interval{Min: -1, Max: 3})
	assert.EqualError(t, err, "x is negative: -1")
}

func TestInt64(t *testing.T) {
	fact := func(values ...uint64) *ir.Fact {
		tensor, err := ir.TensorOf(ir.U64, ir.Shape{len(values)}, values)
		require.NoError(t, err)
		return &ir.Fact{Type: ir.U64, Shape: ir.StaticShape(len(values)), Tensor: tensor}
	}
	assert.NoError(t, Int64("x", &ir.Fact{Type: ir.U64}))
	assert.NoError(t, Int64("x", fact(1, math.MaxInt64)))
	assert.NoError(t, Int64("x", fact(append(make([]uint64, ir.MaxValues), 1<<63)...)))
	assert.EqualError(t, Int64("x", fact(1, 1<<63)), "x: element 1 is 9223372036854775808, beyond int64")
}
